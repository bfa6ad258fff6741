// The data as training reads it: numbers, and for every wide column an index and a fraction; never expanded.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace isotone {

// What the columns of one branch give, row by row: numbers (missing slots last) and places in the tables.
template <class T>
struct EncodedBranch {
    int numbers = 0;
    int tables = 0;
    std::vector<T> number;
    std::vector<std::int32_t> index;
    // how far the row has come through its segment; 0 for a category and for a missing value
    std::vector<T> fraction;
};

template <class T>
struct EncodedRows {
    std::int64_t rows = 0;
    EncodedBranch<T> free;
    EncodedBranch<T> trunk;
};

// A column of the caller's table, wherever it stands.
struct Numbers {
    const double* first = nullptr;
    std::int64_t stride = 1;

    double operator[](std::int64_t row) const { return first[row * stride]; }
};

// One column of numbers per column of the plan; codes and missing values have been checked. Rows `order` are read.
template <class T>
EncodedRows<T> encode_rows(const Plan& plan, const std::vector<Numbers>& x, const std::int64_t* order,
                           std::int64_t rows);

}  // namespace isotone
