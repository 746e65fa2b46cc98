// Measurements as JSON, for storage.

#ifndef REBASIN_LAB_LINE_JSON_H_
#define REBASIN_LAB_LINE_JSON_H_

#include "lab/lab.h"
#include "rebasin/nn/interpolate.h"

namespace rebasin::lab {

Json ToJson(const Evaluation& evaluation);
Evaluation EvaluationFromJson(const Json& json);

Json ToJson(const Line& line);
Line LineFromJson(const Json& json);

}  // namespace rebasin::lab

#endif  // REBASIN_LAB_LINE_JSON_H_
