// A zeroed buffer that begins on a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace isotone {

inline constexpr std::align_val_t cache_line{64};

template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : size_(size), data_(static_cast<T*>(::operator new((size + 1) * sizeof(T), cache_line))) {
        std::uninitialized_fill_n(data_.get(), size + 1, T{});
    }
    Buffer(const Buffer& other) : Buffer(other.size_) { std::copy_n(other.data(), size_, data()); }
    Buffer& operator=(const Buffer& other) { return *this = Buffer(other); }
    Buffer(Buffer&&) noexcept = default;
    Buffer& operator=(Buffer&&) noexcept = default;

    std::size_t size() const { return size_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }

private:
    struct Free {
        void operator()(T* data) const { ::operator delete(data, cache_line); }
    };
    std::size_t size_ = 0;
    std::unique_ptr<T, Free> data_;
};

}  // namespace isotone
