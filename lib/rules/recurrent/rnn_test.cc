#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLayersAndCells[] = {
    {"rnn_relu_cell(f32[3,3], i16[3,3], f32[3,3], f32[3,3])", "!DtypeMismatch"},
    {"gru_cell(f32[1,5], f32[1,10], f32[30,5], f32[30,10], f64[30], f32[30])", "!DtypeMismatch"},
    {"lstm_cell(f32[1,5], [f32[1,10], f64[1,10]], f32[40,5], f32[40,10], f32[40], f32[40])", "f64[1,10], f64[1,10]"},
    {"lstm.input(f32[5,3,6], [f32[1,3,4], f32[1,3,5]], [f32[16,6], f32[16,4], f32[16], f32[16]], True, 1, 0.0, False, "
     "False, False)",
        "!ValueError"},
    {"rnn_tanh_cell(f32[1,5], f32[1,10], f32[10,5], f32[10,10], f32[10], f32[11])", "!ShapeMismatch"},
    {"gru.input(f32[3,5,6], f32[1,3,4], [f32[12,6], f32[12,4], f32[12], f32[14]], True, 1, 0.0, False, False, True)",
        "!ShapeMismatch"},
    {"gru.input(f32[3,5,6], f32[1,3,4], [f32[12,6], f32[12,4], f32[1], f32[12]], True, 1, 0.0, False, False, True)",
        "f32[3,5,4]{4,12,1}, f32[1,3,4]"},
    {"lstm_cell(f32[1,5], [f32[1,10], f32[1,10]], f32[40,5], f32[40,10], f32[1], f32[40])", "f32[1,10], f32[1,10]"},
    {"lstm.input(f32[5,3,6], [f32[1,3,4], f32[1,3,4]], [f32[16,6], f32[16,4], f32[16], f32[16]], True, 1, 0.0, False, "
     "False, False)",
        "f32[5,3,4], f32[1,3,4], f32[1,3,4]"},
    {"lstm.input(f32[3,5,6], [f32[4,3,2], f32[4,3,4]], [f32[16,6], f32[16,2], f32[2,4], f32[16,6], f32[16,2], "
     "f32[2,4], f32[16,4], f32[16,2], f32[2,4], f32[16,4], f32[16,2], f32[2,4]], False, 2, 0.0, False, True, True)",
        "f32[3,5,4]{4,12,1}, f32[4,3,2], f32[4,3,4]"},
    {"lstm.input(f32[5,3,6]{6,30,1}, [f32[1,3,4], f32[1,3,4]], [f32[16,6], f32[16,4], f32[16], f32[16]], True, 1, 0.0, "
     "True, False, False)",
        "f32[5,3,4], f32[1,3,4], f32[1,3,4]"},
    {"lstm.input(f32[5,3,7], [f32[1,3,4], f32[1,3,4]], [f32[16,6], f32[16,4], f32[16], f32[16]], True, 1, 0.0, False, "
     "False, False)",
        "!ShapeMismatch"},  // as eager
    {"lstm.input(f32[5,3,6], [f32[1,3,4]], [f32[16,6], f32[16,4], f32[16], f32[16]], True, 1, 0.0, False, False, "
     "False)",
        "!ValueError"},
    {"gru.input(f32[3,5,6], f32[2,3,4], [f32[12,6], f32[12,4], f32[12], f32[12], f32[12,6], f32[12,4], f32[12], "
     "f32[12]], True, 1, 0.0, False, True, True)",
        "f32[3,5,8]{8,24,1}, f32[2,3,4]"},
    {"rnn_tanh.input(f32[5,3,6], f32[1,3,4], [f32[4,6], f32[4,4]], False, 1, 0.0, False, False, False)",
        "f32[5,3,4], f32[1,3,4]"},
    {"rnn_tanh.input(i64[1,3,2], i64[1,3,3], [i64[3,2], i64[3,3]], False, 1, 0.0, False, False, False)",
        "f32[1,3,3], f32[1,3,3]"},
    {"rnn_tanh.input(i64[2,3,2], i64[1,3,3], [i64[3,2], i64[3,3]], False, 1, 0.0, False, False, False)",
        "!DtypeMismatch"},
    {"rnn_relu.input(i64[2,3,2], i64[1,3,3], [i64[3,2], i64[3,3]], False, 1, 0.0, False, False, False)",
        "i64[2,3,3], i64[1,3,3]"},
    {"rnn_relu.input(b8[2,3,2], b8[1,3,3], [b8[3,2], b8[3,3]], False, 1, 0.0, False, False, False)", "!DtypeMismatch"},
    {"gru.input(f32[3,1,2], f32[2,1,3], [f32[9,2], f32[9,3], f32[27,3], f32[27,3]], False, 2, 0.0, True, False, False)",
        "!ShapeMismatch"},
    {"gru.input(f32[3,5,4], f32[1,3,11], [f32[3,4], f32[3,11], f32[3], f32[3]], True, 1, 0.0, False, False, True)",
        "f32[3,5,11]{11,33,1}, f32[1,3,11]"},
    {"lstm.input(f32[3,5,4], [f32[1,3,2], f32[1,3,6]], [f32[24,4], f32[24,2], f32[24], f32[24], f32[2,6]], True, 1, "
     "0.0, False, "
     "False, True)",
        "f32[3,5,2]{2,6,1}, f32[1,3,2], f32[1,3,6]"},
    {"lstm.input(f32[3,5,4], [f32[1,3,2], f32[1,3,6]], [f32[24,4], f32[24,2], f32[24], f32[24], f32[2,5]], True, 1, "
     "0.0, False, "
     "False, True)",
        "!ShapeMismatch"},
    {"rnn_relu.input(f32[5,3,6], f32[1,2,4], [f32[4,6], f32[4,4]], False, 1, 0.0, False, False, False)",
        "!ShapeMismatch"},
    {"lstm_cell(f32[3,6], [f32[3,4], f32[3,4]], f32[16,6], f32[16,4], f32[16], f32[16])", "f32[3,4], f32[3,4]"},
    {"gru_cell(f32[3,6], f32[3,4]{1,3}, f32[12,6], f32[12,4])", "f32[3,4]{1,3}"},
    {"rnn_tanh_cell(f32[3,6], f32[3,4], f32[4,5], f32[4,4])", "!ShapeMismatch"},
    {"gru_cell(i64[3,4], i64[3,6], i64[18,4], i64[18,6], i64[18], i64[18])", "!DtypeMismatch"},
    {"rnn_tanh_cell(i64[1,5], i64[1,10], i64[10,5], i64[10,10], i64[10], i64[10])", "f32[1,10]"},
    {"lstm_cell(f32[1,5], [f32[1,10], f32[1,11]], f32[40,5], f32[40,10], f32[40], f32[40])", "!ShapeMismatch"},
    {"rnn_relu_cell(f32[5], f32[1,10], f32[10,5], f32[10,10], f32[10], f32[10])", "!IndexOutOfRange"},
};

TEST(Rnn, AsPyTorch) { CheckCalls(kLayersAndCells); }

}  // namespace
}  // namespace fakeprop::testing
