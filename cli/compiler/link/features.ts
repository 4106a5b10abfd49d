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
    const tags = {
      ofMethod: method.said[feature.tag] ?? null,
      ofClasses: ofClasses(feature, controller.said),
    }
    if (tags.ofMethod === null && tags.ofClasses.length === 0) return []
    const meant = feature.link?.(tags, route, method)
    return meant === null || meant === undefined ? [] : [useOf(feature, meant, linked)]
  })
}

/** What is told of the class as a toolbox, in the order of the list. */
export function toolboxUsesOf(
  features: readonly Feature[],
  { said }: Pick<DeclaredController, 'said'>,
  toolbox: LinkedToolbox,
): readonly ToolboxUse[] {
  return features.flatMap((feature) => {
    if (feature.toolbox === undefined) return []
    const own = said.at(-1)?.[feature.tag] ?? null
    return toolboxUseOf(feature, { own, ofClasses: ofClasses(feature, said) }, toolbox) ?? []
  })
}

const ofClasses = ({ tag }: Feature, all: DeclaredController['said']): readonly unknown[] =>
  all.map((said) => said[tag]).filter((said) => said !== undefined)
