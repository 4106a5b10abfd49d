/** The application that `bench:http` serves, written as a user writes one, and built by `acmcp build`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { buildThere, linkPackage } from '../../support/linked.ts'
import { besideImports, type Imports } from '../build/sources.ts'

const suffix = (index: number): string => (index === 0 ? '' : String(index))

const types = (at: string): string => `
export interface NewOrder${at} {
  product: string
  quantity: Int32
  urgent: boolean
  tags: string[]
  address: { street: string; city: string; zip: string }
}

export interface Order${at} extends NewOrder${at} {
  id: string
  total: number
}
`

const controller = (at: string): string => `
import { type Body, Controller, type Header, type Rendered } from 'acmcp'
import type { NewOrder${at}, Order${at} } from '../models.js'

/**
 * Orders.
 *
 * @base ${orderPath}${at}
 */
export class Orders${at} extends Controller {
  /**
   * Checks the key.
   *
   * @filter before
   */
  authenticate(key?: Header<'X-API-Key'>): Rendered | undefined {
    return key === 'bench' ? undefined : this.render({ status: 401, json: { error: 'invalid_token' } })
  }

  /**
   * Places an order.
   *
   * @post /
   * @returns 201 the order
   */
  create(order: Body<NewOrder${at}>): Order${at} {
    return { ...order, id: 'o1', total: order.quantity * 2.5 }
  }
`

const fourMore = (at: string): string => `
  /**
   * Lists.
   *
   * @get /
   */
  index(): string[] {
    return []
  }

  /**
   * Shows one.
   *
   * @get /:id
   */
  show(id: string): string {
    return id
  }

  /**
   * Changes one.
   *
   * @put /:id
   */
  update(id: string, order: Body<NewOrder${at}>): string {
    return id + order.product
  }

  /**
   * Removes one.
   *
   * @delete /:id
   */
  remove(id: string): string {
    return id
  }
`

/** The path that the first controller answers. */
export const orderPath = '/api/orders'

/** Writes and builds an application of `count` controllers with five routes each (one: a single route), and with packages
 *  one controller more; its folder. */
export function buildApplication(count: number, imports: Imports): string {
  const root = resolve('dist', 'bench', `orders-${count}-${imports}`)
  rmSync(root, { recursive: true, force: true })
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write(
    'app/models.ts',
    `import type { Int32 } from 'acmcp'\n${Array.from({ length: count }, (_, index) => types(suffix(index))).join('')}`,
  )
  write('package.json', '{"name":"orders","version":"1.0.0","license":"MIT","type":"module"}')
  write('app/config.ts', `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n`)
  for (let index = 0; index < count; index += 1) {
    const at = suffix(index)
    write(
      `app/controllers/orders${at}.ts`,
      `${controller(at)}${count > 1 ? fourMore(at) : ''}}
`,
    )
  }
  for (const [path, text] of besideImports(imports)) write(path, text)
  linkPackage(root, ['kysely', 'ws', 'zod'])
  buildThere(root)
  return root
}

/** What every request of the benchmark sends. */
export const orderBody: string = JSON.stringify({
  product: 'apples',
  quantity: 12,
  urgent: false,
  tags: ['fruit', 'red', 'sweet'],
  address: { street: '1 High Street', city: 'Bath', zip: 'BA1 1AA' },
})
