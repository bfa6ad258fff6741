// The Python face of the native engine: only bindings stand here.
#include "bindings.hpp"

NB_MODULE(_native, module) {
    module.doc() = "The native engine of isotone.";
    isotone::bind_dispatch(module);
    isotone::bind_elementwise(module);
    isotone::bind_prediction(module);
    isotone::bind_training(module);
}
