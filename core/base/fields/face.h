#pragma once

#include <type_traits>

namespace pairs {

// The optional interfaces: what some classes implement in addition to their base class. face() finds them; an interface
// that is missing here does not compile with it, so this table is complete.
template <class Interface>
inline constexpr bool is_optional_interface = false;

// Tasks implement these (core/task.h).
class BudgetedSimulator;        // draws observations ahead, as many as a budget allows
class ChoosesTargets;           // lets runs choose which of θ and ψ are inferred
class DrawsNuisances;           // p(ψ | θ)
class HasFileColumns;           // states how its files are read as rows
class HasFileReader;            // names a program that reads its files
class HasGivenRanges;           // the ranges of its conditions in training
class HasJointPosterior;        // log p(θ, ψ, X) with a gradient, for MCMC
class HasNullValue;             // the value of θ that means "nothing there"
class HasPriorDensity;          // the density of its prior
class HasSetReferences;         // exact posteriors of some observed sets, by their names
class HasSufficientStatistics;  // known sufficient statistics of one observation
class InfersNuisances;          // p(ψ | θ, X)
class ProbedSimulator;          // is simulated by a program that may change
class RedrawsInvalid;           // repeats invalid observations
class StandardizedInput;        // standardizes x before the embedder
class Bodies;                   // observations that can be drawn as bodies in space
class Items;                    // makes sets of items such as meshes or molecules
class Outlines;                 // θ can be drawn on its observations, which are images
class SceneViews;               // views of a scene, whose target is an image
// References implement this.
class KnowsGiven;  // depends on the conditions of its set
// Heads and estimators implement these.
class Ensemble;        // an equal mixture
class ResidualSpread;  // a regression head, whose spread is fitted
class SteppedSampler;  // samples in steps

template <>
inline constexpr bool is_optional_interface<BudgetedSimulator> = true;
template <>
inline constexpr bool is_optional_interface<ChoosesTargets> = true;
template <>
inline constexpr bool is_optional_interface<DrawsNuisances> = true;
template <>
inline constexpr bool is_optional_interface<HasFileColumns> = true;
template <>
inline constexpr bool is_optional_interface<HasFileReader> = true;
template <>
inline constexpr bool is_optional_interface<HasGivenRanges> = true;
template <>
inline constexpr bool is_optional_interface<HasJointPosterior> = true;
template <>
inline constexpr bool is_optional_interface<HasNullValue> = true;
template <>
inline constexpr bool is_optional_interface<HasPriorDensity> = true;
template <>
inline constexpr bool is_optional_interface<HasSetReferences> = true;
template <>
inline constexpr bool is_optional_interface<HasSufficientStatistics> = true;
template <>
inline constexpr bool is_optional_interface<InfersNuisances> = true;
template <>
inline constexpr bool is_optional_interface<ProbedSimulator> = true;
template <>
inline constexpr bool is_optional_interface<RedrawsInvalid> = true;
template <>
inline constexpr bool is_optional_interface<StandardizedInput> = true;
template <>
inline constexpr bool is_optional_interface<Bodies> = true;
template <>
inline constexpr bool is_optional_interface<Items> = true;
template <>
inline constexpr bool is_optional_interface<Outlines> = true;
template <>
inline constexpr bool is_optional_interface<SceneViews> = true;
template <>
inline constexpr bool is_optional_interface<KnowsGiven> = true;
template <>
inline constexpr bool is_optional_interface<Ensemble> = true;
template <>
inline constexpr bool is_optional_interface<ResidualSpread> = true;
template <>
inline constexpr bool is_optional_interface<SteppedSampler> = true;

// The object as one of these interfaces; null if its class does not implement it.
template <class Interface, class Object>
auto face(Object& object) {
  static_assert(is_optional_interface<Interface>, "add the interface to the table above");
  return dynamic_cast<std::conditional_t<std::is_const_v<Object>, const Interface, Interface>*>(&object);
}

}  // namespace pairs
