// A family of models on Hugging Face: a "model_type" and how its graph is
// built.

#ifndef REBASIN_ZOO_FAMILIES_FAMILY_H_
#define REBASIN_ZOO_FAMILIES_FAMILY_H_

#include <functional>
#include <string>
#include <vector>

#include "zoo/families/net.h"

namespace rebasin::zoo {

struct Family {
  std::string model_type;
  std::string description;
  // What stands in front of the names of the base model if there is a head.
  std::string base;
  // A tensor that each of them has, without `base`. Where it is found shows
  // what stands in front of all names.
  std::string anchor;
  std::function<void(Net&)> build;
};

// One function in each file.
std::vector<Family> LlamaFamilies();
std::vector<Family> GemmaFamilies();
std::vector<Family> PhiFamilies();
std::vector<Family> GptFamilies();
std::vector<Family> OptFamilies();
std::vector<Family> FalconFamilies();
std::vector<Family> StableLmFamilies();
std::vector<Family> OlmoFamilies();
std::vector<Family> MixtralFamilies();
std::vector<Family> BertFamilies();
std::vector<Family> AlbertFamilies();
std::vector<Family> VisionFamilies();
std::vector<Family> ClipFamilies();
std::vector<Family> SiglipFamilies();
std::vector<Family> SwinFamilies();
std::vector<Family> ConvNextFamilies();
std::vector<Family> T5Families();
std::vector<Family> BartFamilies();
std::vector<Family> UnetFamilies();
std::vector<Family> VaeFamilies();

// All of the above.
const std::vector<Family>& AllFamilies();

}  // namespace rebasin::zoo

#endif  // REBASIN_ZOO_FAMILIES_FAMILY_H_
