/** An application whose routes ask for scopes, and random edits of what it declares and of what it asks for. */
import type { Files } from '../support/memory-host.ts'
import type { Edit } from './changes.ts'

const names = ['a:read', 'a:write', 'b', 'c', 'd'] as const
const pick = (count: number, shift: number): string => names[(count * 7 + shift) % names.length] ?? 'b'

const words = (text: string, name: string): string =>
  `export const more = { '${name}': '${text}', d: { text: 'D', sensitive: true } }\nexport const name = 'c'\n`

const config = (own: string, probe: string): string => `import { defineApp } from 'acmcp'
import { more, name } from './words.ts'
export const config: object = defineApp({
  mcp: { authProbe: '${probe}' },
  scopes: { ${own}, ...more, [name]: { text: 'C', implies: ['b'] } },
})
`

const base = (tag: string): string =>
  `import { Controller } from 'acmcp'\n/** ${tag} */\nexport abstract class Base extends Controller {
  /**
   * Checks.
   *
   * @filter before
   */
  check(): void {}

  /**
   * Everybody.
   *
   * @get /all
   */
  all(): void {}
}
`

const controller = (name: string, tag: string, code = ''): string => `import { Base } from '../base.ts'
/** ${name}s. */
export class ${name}s extends Base {
  /**
   * Adds ${name}.
   *
   * @post /
   * ${tag}
   */
  add(): void { ${code} }
}
`

const own = (count: number): string =>
  [
    "'a:read': 'A'",
    `'a:write': { text: 'W${count}', implies: ['${pick(count, count % 3)}'] }`,
    `b: { text: 'B', sensitive: ${count % 4 === 0} }`,
  ]
    .sort((text, other) => ((text.length + count) % 3) - ((other.length + count) % 3))
    .join(', ')

export const scopedApplication: Files = {
  'app/config.ts': config("'a:read': 'A', 'a:write': { text: 'W', implies: ['a:read'] }", '/cats/me'),
  'app/words.ts': words('B', 'b'),
  'app/base.ts': base('@scope a:read unless=session'),
  'app/controllers/cats.ts': controller('Cat', '@scope a:write c'),
  'app/controllers/dogs.ts': controller('Dog', '@scope none'),
  'app/controllers/ants.ts': controller('Ant', '@scope d', 'this.requireScopes(name)').replace(
    "'../base.ts'\n",
    "'../base.ts'\nimport { name } from '../words.ts'\n",
  ),
}

const put =
  (path: string, text: (count: number) => string): Edit =>
  (files, count) => ({ ...files, [path]: text(count) })

export const scopeEdits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ['the configuration', put('app/config.ts', (count) => config(own(count), '/dogs/all'))],
  [
    'the route of authProbe',
    put('app/config.ts', (count) =>
      config("'a:read': 'A', 'a:write': 'W'", `/dogs/${count % 2 === 0 ? 'all' : ''}`),
    ),
  ],
  [
    'no scopes',
    put(
      'app/config.ts',
      () => "import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n",
    ),
  ],
  ['words', put('app/words.ts', (count) => words(`B${count}`, count % 3 === 0 ? 'e' : 'b'))],
  ['a class', put('app/base.ts', (count) => base(`@scope ${pick(count, 1)} unless=key,session`))],
  ['a class that asks for nothing', put('app/base.ts', () => base('Of all.'))],
  [
    'a method',
    put('app/controllers/cats.ts', (count) =>
      controller('Cat', `@scope ${pick(count, 2)} ${pick(count, 3)} unless=key`),
    ),
  ],
  ['a method without a tag', put('app/controllers/dogs.ts', () => controller('Dog', '@mcp show'))],
  [
    'a call',
    put('app/controllers/dogs.ts', (count) =>
      controller('Dog', '@scope none', `this.requireScopes('${pick(count, 4)}')`),
    ),
  ],
])
