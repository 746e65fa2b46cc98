// The attributes of a node that change its meaning, in a form that can be
// compared.

#ifndef REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_
#define REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_

#include <string>

#include "rebasin/graph.h"

namespace rebasin {

// Omits attributes that have their default value, that repeat the shape of a
// weight (kernel_shape of a convolution), or that affect precision only.
// Reduces the target type of a Cast to its Kind.
Attributes CanonicalAttributes(const Node& node);

// Compares numbers as float32, which is the precision of attributes in files.
bool SameAttribute(const Attribute& a, const Attribute& b);

// The attribute for display: "1e-05", "[1, 1]", "\"linear\"".
std::string AttributeText(const Attribute& attribute);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_
