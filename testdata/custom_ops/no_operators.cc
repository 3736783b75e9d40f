// A library without operators.
extern "C" int Nothing() { return 0; }
