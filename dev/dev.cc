#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include "lib/annotations/annotations_json.h"
#include "lib/readers/reader.h"
#include "lib/propagate/propagate.h"
using namespace fakeprop;
int main(int argc,char**argv){
  std::string path, out; int repeat=1;
  PropagateOptions o;
  for(int i=1;i<argc;++i){ if(!strcmp(argv[i],"-o")) out=argv[++i]; else if(!strcmp(argv[i],"--keep-going")) o.keep_going=true; else if(!strcmp(argv[i],"--repeat")) repeat=atoi(argv[++i]); else if(!strcmp(argv[i],"--inputs")) ++i; else path=argv[i]; }
  DiagnosticSink sink;
  auto t0=std::chrono::steady_clock::now();
  auto g=ReadGraph(path,sink);
  auto t1=std::chrono::steady_clock::now();
  if(!g){ for(auto&d:sink.diagnostics()) std::cerr<<d.code.id<<" "<<d.message<<" at "<<d.place<<"\n"; return 2; }
  std::vector<InputValue> in;
  for(auto&i:g->inputs){ InputValue v; auto&n=g->nodes[i.node]; v.origin="input `"+n.name+"`"; auto it=g->recorded.find(n.name);
    if(it!=g->recorded.end() && std::holds_alternative<RecordedTensor>(it->second)){ auto&r=std::get<RecordedTensor>(it->second); v.is_tensor=true; for(auto&s:r.sizes) v.meta.sizes.push_back(s.number); for(auto&s:r.strides) v.meta.strides.push_back(s.number); v.meta.storage_offset=r.storage_offset.number; v.meta.dtype=r.dtype; v.meta.device=r.device; v.meta.layout=r.layout; v.requires_grad=r.requires_grad; }
    else v.value=i.constant;
    in.push_back(v);}
  Annotations a; double best=1e9;
  for(int r=0;r<repeat;++r){ auto s=std::chrono::steady_clock::now(); a=Propagate(*g,in,o); best=std::min(best,std::chrono::duration<double>(std::chrono::steady_clock::now()-s).count()); }
  auto t2=std::chrono::steady_clock::now();
  auto text=WriteAnnotations(*g,a);
  auto t3=std::chrono::steady_clock::now();
  if(out.empty()) std::cout<<text; else std::ofstream(out)<<text;
  for(auto&d:a.diagnostics){ std::cerr<<d.code.id<<" "<<d.node_text<<": "<<d.message<<"\n"; for(auto&x:d.operands) std::cerr<<"   "<<x.name<<" "<<x.meta<<" "<<x.origin<<"\n"; }
  if(repeat>1) fprintf(stderr,"read %.1f ms, propagate %.1f us = %.0f ns/node, write %.2f ms\n",std::chrono::duration<double>(t1-t0).count()*1e3,best*1e6,best*1e9/g->nodes.size(),std::chrono::duration<double>(t3-t2).count()*1e3);
  return a.diagnostics.empty()?0:1;
}
