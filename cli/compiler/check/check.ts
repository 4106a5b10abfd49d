/** The third pass: rules over the whole model. All run, all are reported. What one controller comes to is kept; the rules
 *  that compare controllers ask for little of each. */

import { controllerNameTaken, idTaken, routeTaken, wideUnion } from '../diagnostics/model-diagnostics.ts'
import { type Diagnostic, exactPlace, place } from '../diagnostics/source-diagnostics.ts'
import type { Feature } from '../feature.ts'
import type { Action, Controller, Model } from '../ir/model.ts'
import type { At, Schema } from '../ir/schema.ts'
import { bare, childrenOf } from '../ir/schema-walk.ts'
import type { Declared } from '../ir/source-model.ts'
import { memo } from '../schema/memo.ts'
import { reachable, resolved } from '../schema/references.ts'
import { toolsOf } from '../schema/tools.ts'
import { briefFits } from './brief.ts'
import { addressesAreFree } from './config/addresses.ts'
import { checkForwardedHeaders } from './config/forwarded-headers.ts'
import { checkSettings } from './config/setting-values.ts'
import { calledBy, controllerRules, type Subject } from './controller-rules.ts'
import { namedValuesFit, valuesFit } from './examples.ts'
import { type Suspicion, selectorPlaces, unknownInSelectors } from './method-selectors.ts'
import { explicitNamesAreDistinct, type NamedOffer, namesOf, namesOfEndpointAreFree } from './names.ts'
import { pagingFits } from './paging.ts'
import { checkPrompts } from './prompts.ts'
import { askingMethods, checkQuestions } from './questions.ts'
import { repeated } from './repeated.ts'
import { checkScopes, type ScopeFacts, scopeFactsOf } from './scopes.ts'
import { clientsTakeNames, serverNameIn } from './tools/client-names.ts'
import { type ToolTags, tagsHaveTools, toolTagsOf } from './tools/tool-tags.ts'

/** What is known of one controller. */
interface Facts {
  readonly found: readonly Diagnostic[]
  readonly actions: readonly ActionFacts[]
  readonly toolTags: ToolTags
  /** The places of its filters and of `@requireTls`. */
  readonly selectors: readonly string[]
  /** A mistake unless the place is among the selectors of another controller too. */
  readonly alone: readonly Suspicion[]
  readonly scopes: ScopeFacts
  readonly names: readonly NamedOffer[]
  readonly unusedQuestions: readonly Diagnostic[]
}

interface ActionFacts {
  readonly id: string
  readonly address: string
  /** The address without the names of its variables. */
  readonly route: string
  /** `Notes.show`, for messages. */
  readonly member: string
  readonly routeAt: At
  readonly at: At
}

interface Checked extends Facts {
  readonly controller: Controller
}

type Rule = (all: readonly Checked[]) => readonly Diagnostic[]

const rules: readonly Rule[] = [
  routesAreDistinct,
  controllersAreDistinct,
  idsAreDistinct,
  selectorsNameMethods,
  (all) => tagsHaveTools(all.map(({ toolTags }) => toolTags)),
  (all) => explicitNamesAreDistinct(all.flatMap(({ names }) => names)),
]

/** Everything that is wrong with the model. */
export function check(model: Model, declared: Declared, features: readonly Feature[]): readonly Diagnostic[] {
  const { controllers, schemas, parsers, responders } = model
  const { areScopesWhole: isWhole, authProbe, mcpPath } = declared
  const scopes = { names: declared.scopes.map(({ name }) => name), isWhole, authProbe }
  const byPlace = new Map(declared.controllers.map((controller) => [exactPlace(controller.at), controller]))
  const serverName = serverNameIn(declared.settings)
  const key = JSON.stringify([parsers, responders, scopes, serverName])
  const all = controllers.flatMap((controller) => {
    const origin = byPlace.get(exactPlace(controller.at))
    if (origin === undefined) return []
    const beside = { declared: origin, app: model, scopes, serverName }
    return [{ controller, ...factsOf(controller, schemas, key, beside, features) }]
  })
  return [
    ...all.flatMap(({ found }) => found),
    ...rules.flatMap((rule) => rule(all)),
    ...addressesAreFree(
      all.flatMap(({ actions }) => actions),
      controllers,
      mcpPath,
    ),
    ...checkForwardedHeaders(declared, controllers),
    ...checkSettings(declared),
    ...checkPrompts(controllers, schemas),
    ...features.flatMap((feature) => feature.checkAll?.(controllers) ?? []),
    ...schemas.flatMap((schema) => namedValuesFit(schema, schemas)),
    ...checkQuestions(
      model,
      all.flatMap((item) => item.unusedQuestions),
    ),
    ...checkScopes(
      declared,
      all.map((item) => item.scopes),
    ),
  ]
}

const factsOf = memo(
  (
    linked: Controller,
    named,
    _key,
    beside: Omit<Subject, 'controller' | 'tools'>,
    features: readonly Feature[],
  ): Facts => {
    const controller = { ...linked, actions: [...linked.actions, ...linked.mcpOnly] }
    const subject: Subject = { ...beside, controller, tools: toolsOf(linked, named) }
    const { declared } = subject
    const { alone, always } = unknownInSelectors(declared)
    const scopes = scopeFactsOf(subject)
    const names = namesOf(subject)
    return {
      found: [
        ...controllerRules.flatMap((rule) => rule(subject)),
        ...always,
        ...scopes.found,
        ...features.flatMap((feature) => feature.check?.(subject) ?? []),
        ...unionsAreNarrow(subject),
        ...namesOfEndpointAreFree(names),
        ...clientsTakeNames(subject),
        ...pagingFits(subject),
        ...briefFits(subject),
        ...valuesFit(subject),
      ],
      actions: controller.actions.map((action) => factsOfAction(action, calledBy(subject, action))),
      toolTags: toolTagsOf(subject, features),
      selectors: selectorPlaces(declared),
      alone,
      scopes,
      names,
      unusedQuestions: askingMethods(declared),
    }
  },
)

function factsOfAction({ id, verb, path, routeAt, at }: Action, member: string): ActionFacts {
  const route = path.replace(/\*?:\w+/g, (name) => name.slice(0, 1)).replace(/(.)\/$/, '$1')
  return { id, address: `${verb} ${path}`, route: `${verb} ${route}`, member, routeAt, at }
}

function routesAreDistinct(all: readonly Checked[]): readonly Diagnostic[] {
  const actions = all.flatMap((checked) => checked.actions)
  return repeated(actions, ({ route }) => route).map(([{ routeAt, address, member }, other]) =>
    routeTaken(routeAt, address, member, `${other.member} (${place(other.routeAt)})`),
  )
}

/** `Notes` and `notes` have one tag, one toolbox and one half of every id. */
function controllersAreDistinct(all: readonly Checked[]): readonly Diagnostic[] {
  return repeated(all, ({ controller }) => controller.id).map(([{ controller }, first]) =>
    controllerNameTaken(
      controller.at,
      controller.symbol.name,
      `${first.controller.symbol.name} (${place(first.controller.at)})`,
    ),
  )
}

function idsAreDistinct(all: readonly Checked[]): readonly Diagnostic[] {
  const firstOfId = [
    ...new Map([...all].reverse().map((checked) => [checked.controller.id, checked])).values(),
  ]
  const actions = firstOfId.flatMap((checked) => checked.actions)
  return repeated(actions, ({ id }) => id).map(([{ at, id, member }, other]) =>
    idTaken(at, id, member, `${other.member} (${place(other.at)})`),
  )
}

/** A selector that several classes inherit may name methods that only some of them have. */
function selectorsNameMethods(all: readonly Checked[]): readonly Diagnostic[] {
  const counts = new Map<string, number>()
  for (const place of all.flatMap(({ selectors }) => selectors))
    counts.set(place, (counts.get(place) ?? 0) + 1)
  const suspicions = all.flatMap(({ alone }) => alone)
  return suspicions.filter(({ place }) => counts.get(place) === 1).map(({ found }) => found)
}

// Unions of many objects that nothing tells apart: each value is tried against every one.

/** More of them are warned of. */
const maxUntagged = 12

/** Of what callers send; once a parameter. */
function unionsAreNarrow({ controller, app: { schemas } }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ shortOf }) => shortOf === null)
    .flatMap(({ params }) => params)
    .flatMap(({ name, schema, at }) => {
      const all = [schema, ...reachable([schema], schemas).map((named) => named.schema)]
      const widest = Math.max(0, ...all.map((item) => untaggedIn(item, schemas)))
      return widest > maxUntagged ? [wideUnion(at, name, widest, maxUntagged)] : []
    })
}

/** How many objects the widest union within `schema` has that no property tells apart. */
function untaggedIn(schema: Schema, named: Model['schemas']): number {
  const inside = childrenOf(schema).map((child) => untaggedIn(child, named))
  if (schema.kind !== 'union' || schema.discriminator !== null) return Math.max(0, ...inside)
  const objects = schema.members.filter((member) => bare(resolved(member, named)).kind === 'object')
  return Math.max(objects.length, ...inside)
}
