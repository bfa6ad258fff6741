// The table of kernels that a level offers for prediction, and the memory they work in.
#pragma once

#include <cstdint>

#include "network.hpp"

namespace isotone {

// The buffers of one thread, each of whole lines of block_rows numbers but for the first and the last.
template <class T>
struct Workspace {
    // the block as it came, column by column, in lines of floats if it came so
    double* raw;
    bool narrow = false;
    // features, then the outputs of the free branch
    T* features;
    // the segment or code of every column
    std::int32_t* index;
    T* sums;
    T* lines;
    // rows of a table layer
    T* by_row;
    // a line per output: the mean of the members' scores
    T* latent;
    // a line per prediction
    double* predictions;
};

// What the derivative by the columns needs beside a workspace.
template <class T>
struct GradientSpace {
    // the sums of every layer, as the forward pass left them
    std::vector<T*> kept_free;
    std::vector<T*> kept_trunk;
    double* by_sum;
    double* by_line;
    // as many lines as features and outputs of the free branch
    double* by_feature;
    int features;
    // one number per unit of the widest table layer
    double* by_unit;
};

template <class T>
struct PredictKernels {
    // Reads `rows` rows into the features; false if a value is no number or no code.
    bool (*encode32)(const Network<T>&, const float* x, int rows, Workspace<T>&);
    bool (*encode64)(const Network<T>&, const double* x, int rows, Workspace<T>&);
    // From the features to one member's scores: the first `outputs` lines of `sums`.
    void (*score)(const Network<T>&, int member, int rows, Workspace<T>&);
    // From the features to the latent scores.
    void (*average)(const Network<T>&, int rows, Workspace<T>&);
    // From the latent scores to the predictions.
    void (*link)(const Network<T>&, int rows, Workspace<T>&);
    // From the features to the derivative of center + scale * score: a number per row, output and column.
    void (*gradient)(const Network<T>&, int rows, Workspace<T>&, GradientSpace<T>&, double* out);
};

}  // namespace isotone
