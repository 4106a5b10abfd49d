/** What the optional tags of a method and its classes come to at a route. */
import { type Feature, type LinkedRoute, type LinkedToolbox, toolboxUseOf, useOf } from '../feature.ts'
import type { FeatureUse, ToolboxUse } from '../ir/features.ts'
import type { DeclaredController, DeclaredMethod, DeclaredRoute } from '../ir/source-model.ts'

interface Declarations {
  readonly controller: Pick<DeclaredController, 'said'>
  readonly method: DeclaredMethod
  readonly route: DeclaredRoute
}

/** In the order of the list. */
export function usesOf(
  features: readonly Feature[],
  { controller, method, route }: Declarations,
  linked: LinkedRoute,
): readonly FeatureUse[] {
  return features.flatMap((feature) => {
    const ofClasses = controller.said.map((said) => said[feature.tag]).filter((said) => said !== undefined)
    const ofMethod = method.said[feature.tag] ?? null
    if (ofMethod === null && ofClasses.length === 0) return []
    const meant = feature.link?.({ ofMethod, ofClasses }, route, method)
    return meant === null || meant === undefined ? [] : [useOf(feature, meant, linked)]
  })
}

/** What the class itself says, in the order of the list. */
export function toolboxUsesOf(
  features: readonly Feature[],
  { said }: Pick<DeclaredController, 'said'>,
  toolbox: LinkedToolbox,
): readonly ToolboxUse[] {
  const own = said.at(-1) ?? {}
  return features.flatMap((feature) => {
    const written = feature.toolbox === undefined ? undefined : own[feature.tag]
    return written === undefined ? [] : [toolboxUseOf(feature, written, toolbox)]
  })
}
