/** Types that come under another name: `export default`, `import * as`, `import()`; against `tsc` with the table. */
import t from 'tap'
import { parse } from 'yaml'
import { diskHost } from '../../../../cli/build/disk.ts'
import { compile } from '../../../../cli/compiler/compile.ts'
import { folderOf, typeErrors, write } from '../../support/built-app.ts'

t.setTimeout(120_000)

const files = {
  'app/controllers/kinds.ts': `import { Controller, type Body } from 'acmcp'
import type Order from '../models/order.ts'
import * as lines from '../models/lines.ts'
/** Kinds. */
export class Kinds extends Controller {
  /**
   * Takes it.
   *
   * @post /a
   */
  a(order: Body<Order>): lines.Line { void order; return { sku: 'x', level: lines.Level.Low, id: 'a' as lines.Id } }
  /**
   * Takes it.
   *
   * @post /b
   */
  b(id: lines.Id, deep: lines.Inner.Deep, far: import('../models/order.ts').default, none: import('../models/nameless.ts').default): import('../models/lines.ts').Line {
    void [deep, far, none]
    return { sku: 'x', level: lines.Level.High, id }
  }
}
`,
  'app/models/order.ts': `import type { Line } from './lines.ts'
export default interface Order { n: number; lines: Line[]; parent?: Order }
`,
  'app/models/nameless.ts': 'export default class { a = 1; b?: string }\n',
  'app/models/lines.ts': `export enum Level { Low = 'low', High = 'high' }
export type Id = string & { readonly __brand: 'Id' }
export interface Line { sku: string; level: Level; id: Id }
export namespace Inner { export interface Deep { x: Level | null; more?: Deep } }
`,
}

t.test(
  'types: default exports, namespaces and import() are the types that they name, and the table compiles',
  async (t) => {
    const root = folderOf(t, files)
    const built = compile(diskHost(root))
    t.strictSame(
      built.diagnostics.filter(({ severity }) => severity === 'error'),
      [],
    )
    for (const file of built.files) write(root, file.path, file.text)
    t.equal(typeErrors(root), '')
    const { components } = parse(built.files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
    t.strictSame(Object.keys(components.schemas).sort(), ['Deep', 'Level', 'Line', 'Order'])
    t.strictSame(components.schemas.Deep.properties.more, { $ref: '#/components/schemas/Deep' })
    t.strictSame(components.schemas.Order.properties.parent, { $ref: '#/components/schemas/Order' })
  },
)
