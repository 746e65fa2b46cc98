// The attributes of a node that say something: those that are not what the
// operator takes anyway.

#ifndef REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_
#define REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_

#include <string>

#include "rebasin/graph.h"

namespace rebasin {

// Leaves out attributes that have their default value, that repeat the shape of
// a weight (kernel_shape of a convolution), or that concern precision alone.
// The type that a Cast makes is reduced to its Kind.
Attributes CanonicalAttributes(const Node& node);

// Numbers are compared as float32, which is what files hold.
bool SameAttribute(const Attribute& a, const Attribute& b);

// For people: "1e-05", "[1, 1]", "\"linear\"".
std::string AttributeText(const Attribute& attribute);

}  // namespace rebasin

#endif  // REBASIN_GRAPH_CANONICAL_ATTRIBUTES_H_
