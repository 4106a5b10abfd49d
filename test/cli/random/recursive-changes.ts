/** An application whose types hold themselves, some of them without a name of their own, and random edits of it. */

import type { Files } from '../support/memory-host.ts'
import type { Edit } from './changes.ts'

const places = [0, 1, 2, 3]

/** What a conditional type comes to has no name. */
const generics = `export type Texts<T> = T extends (infer I)[] ? Texts<I>[] : T extends Date ? string : T extends object ? { [K in keyof T]: Texts<T[K]> } : T
export type Open<T> = T extends object ? { [K in keyof T]?: Open<T[K]> } : T
export type Named<T> = { [K in keyof T]: Named<T[K]> }
`
const fields = ['a: string', 'a: Date', 'b?: number | null', "kind: 'x' | 'y'"]

/** The second names the first. */
const model = (place: number, field: string, isAlias: boolean): string => `${
  place === 1 ? "import type { Node0 } from './node0.ts'\n" : ''
}import type { Texts } from '../generics.ts'
export interface Node${place} { ${field}; next?: Node${place}; list: Node${place}[]${place === 1 ? '; first: Node0' : ''} }
${isAlias ? `export type Shown${place} = Texts<Node${place}>\n` : ''}export type Maybe${place} = Texts<Node${place}> | null
`

/** Named ones and others, of the place's own model and of the first. */
const typesOf = (place: number): readonly string[] => [
  `Node${place}`,
  `Named<Node${place}>`,
  'string',
  `Texts<Node${place}>`,
  `Open<Node${place}>`,
  `Texts<Open<Node${place}>>[]`,
  `{ in: Texts<Node${place}> }`,
  `Maybe${place}`,
  'Texts<Node0>',
]

const controller = (
  place: number,
  type: string,
  text: string,
): string => `import { type Body, Controller } from 'acmcp'
import type { Named, Open, Texts } from '../generics.ts'
import type { Node0 } from '../models/node0.ts'
import type { ${place === 0 ? '' : `Node${place}, `}Maybe${place} } from '../models/node${place}.ts'
/** Place ${place}. */
export class Place${place} extends Controller {
  /**
   * ${text}
   *
   * @get /
   */
  show(): ${type} { throw new Error() }
  /**
   * Takes one.
   *
   * @post /
   */
  take(it: Body<${type}>): void { void it }
}
`

const controllerPath = (place: number): string => `app/controllers/place${place}.ts`
const modelPath = (place: number): string => `app/models/node${place}.ts`

/** Before any edit: all types have names. */
export const plain: Files = {
  'app/config.ts': "import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n",
  'app/generics.ts': generics,
  ...Object.fromEntries(
    places.flatMap((place) => [
      [modelPath(place), model(place, 'a: string', false)],
      [controllerPath(place), controller(place, `Node${place}`, 'Shows one.')],
    ]),
  ),
}

const replaced =
  (path: string, from: RegExp, to: string): Edit =>
  (files) => ({ ...files, [path]: (files[path] ?? '').replace(from, () => to) })

/** As in the beginning, but for one model: of applications without names nothing is read in part. */
const named = (files: Files, place: number, field: string): Files => ({
  ...files,
  ...plain,
  [modelPath(place)]: model(place, field, false),
})

/** One type is named by the place where it was met first, which a part need not read. */
const sharing = (files: Files, place: number): Files => ({
  ...files,
  [controllerPath(0)]: controller(0, 'Texts<Open<Node0>>', 'Shows one.'),
  [controllerPath(place)]: controller(place, 'Texts<Open<Node0>>', 'Shows one.'),
})

/** Another type or text of a controller, another field of a model, and a name for a type that had none. */
export const recursiveEdits: ReadonlyMap<string, Edit> = new Map(
  places.flatMap((place) => {
    const path = controllerPath(place)
    return [
      ...typesOf(place).map((type): [string, Edit] => [
        `${path}: ${type}`,
        (files) => ({ ...files, [path]: controller(place, type, 'Shows one.') }),
      ]),
      ...['Shows any.', 'Shows it.'].map((text): [string, Edit] => [
        `${path}: ${text}`,
        replaced(path, /Shows .*\./, text),
      ]),
      [`${path}: what the first shows too`, (files) => sharing(files, place)],
      ...fields.map((field): [string, Edit] => [
        `${path}: all have names, ${field}`,
        (files) => named(files, place, field),
      ]),
      ...fields.flatMap((field) =>
        [true, false].map((isAlias): [string, Edit] => [
          `${modelPath(place)}: ${field}${isAlias ? ' with an alias' : ''}`,
          (files) => ({ ...files, [modelPath(place)]: model(place, field, isAlias) }),
        ]),
      ),
    ]
  }),
)
