/** `@icon ./file`: a picture of a tool, or of all tools of a class, in lists and in review. */
import t from 'tap'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { Catalogue } from '../../../../runtime/contract/mcp.ts'
import { call, message, rpc, serve } from '../../../mcp/support/support.ts'
import { loadCatalogue } from '../../codecs/printed.ts'
import { memoryHost } from '../../support/memory-host.ts'

/** As characters of one byte each. */
const png = (width: number, height: number, more = ''): string =>
  `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0${String.fromCharCode(width)}\0\0\0${String.fromCharCode(height)}${more}`
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const pictures = {
  'app/controllers/list.png': png(48, 32),
  'app/icons/box.svg': svg,
  'app/icons/photo.jpeg': '\xff\xd8\xff\xe0',
  'app/icons/photo.webp': 'RIFF\0\0\0\0WEBPVP8 ',
  'app/icons/large.png': png(9, 9, 'x'.repeat(9000)),
  'app/icons/no.png': 'GIF89a, and so on, and so on',
  'app/icons/no.svg': 'just a text',
  'app/icons/moving.gif': 'GIF89a',
}

const compiled = (classTags: string, methodTags: string, members = '') =>
  compile(
    memoryHost({
      ...pictures,
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'

/** What is bought. */
abstract class Bought extends Controller {}

/**
 * Orders.
 *
 ${classTags}
 */
export class Orders extends Bought {
  /**
   * Lists orders.
   *
   * @get /
   ${methodTags}
   */
  index(): string[] { return [] }

  /**
   * Counts orders.
   *
   * @get /count
   */
  count(): string { return '' }
  ${members}
}
`,
    }),
    { lint: false },
  )

const icon = (mimeType: string, content: string, sizes: readonly string[] | null) => ({
  src: `data:${mimeType};base64,${Buffer.from(content, 'latin1').toString('base64')}`,
  mimeType,
  ...(sizes === null ? {} : { sizes }),
})

t.test(
  'icons in lists: lists of both eras have icons as data URIs, a tool its own or that of its class',
  async (t) => {
    const { catalogue: text, files, diagnostics } = compiled('* @icon ../icons/box.svg', '* @icon ./list.png')
    t.strictSame(diagnostics, [])
    const catalogue: Catalogue = loadCatalogue(text)
    const routes = new Map(
      catalogue.tools.map(({ route }) => [route, { verb: 'GET', path: `/${route}` } as const]),
    )
    const box = icon('image/svg+xml', svg, ['any'])
    const app = serve({ catalogue, routes })
    const sdk = serve({ catalogue, routes, isSdkOnly: true })
    for (const era of ['legacy', 'modern'] as const) {
      for (const at of [app, sdk]) {
        const { tools } = rpc(await at({ ...message(era, 'tools/list'), url: '/mcp/orders' })).result
        t.strictSame(
          tools.map(({ name, icons }: { name: string; icons: unknown }) => [name, icons]),
          [
            ['orders_index', [icon('image/png', png(48, 32), ['48x32'])]],
            ['orders_count', [box]],
          ],
        )
      }
      for (const [name, args] of [
        ['list_toolboxes', {}],
        ['open_toolbox', { name: 'orders' }],
        ['find_tools', { query: 'orders' }],
      ] as const) {
        t.notMatch(
          JSON.stringify(await call(app, era, name, args)),
          /data:image/,
          `${name}: no model reads pictures`,
        )
      }
    }
    const yml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
    t.match(yml, / {4}icon: \{ file: app\/icons\/box\.svg, digest: [0-9a-f]{16} \}\n/)
    t.match(yml, / {8}icon: \{ file: app\/controllers\/list\.png, digest: [0-9a-f]{16} \}\n/)
  },
)

t.test('JPEG and WebP are taken too, without their sizes', async (t) => {
  const { catalogue, diagnostics } = compiled('* @icon ../icons/photo.webp', '* @icon ../icons/photo.jpeg')
  t.strictSame(diagnostics, [])
  const { toolboxes, tools }: Catalogue = loadCatalogue(catalogue)
  t.strictSame(
    [toolboxes[0]?.icon, tools[0]?.icon],
    [
      icon('image/webp', pictures['app/icons/photo.webp'], null),
      icon('image/jpeg', pictures['app/icons/photo.jpeg'], null),
    ],
  )
})

t.test('each misuse is an error at its place', async (t) => {
  const wrong: readonly (readonly [tag: string, says: string])[] = [
    ['@icon', "'' is no path"],
    ['@icon list.png', "'list.png' is no path that begins with ./ or ../"],
    ['@icon https://example.org/a.png', 'is no path that begins'],
    ['@icon ./lost.png', "'./lost.png' does not exist"],
    ['@icon ../icons/moving.gif', 'is no .png, .jpg, .jpeg, .svg or .webp'],
    ['@icon ../icons/large.png', 'has 9024 bytes, and at most 8192 are shown'],
    ['@icon ../icons/no.png', 'is no picture of the type image/png'],
    ['@icon ../icons/no.svg', 'is no picture of the type image/svg+xml'],
    ['@icon ./list.png\n   * @icon ./list.png', 'stands twice'],
  ]
  for (const [tag, says] of wrong) {
    for (const [found, line] of [
      [compiled('*', `* ${tag}`).diagnostics, 16],
      [compiled(`* ${tag}`, '*').diagnostics, 9],
    ] as const) {
      const [first] = found
      t.match(first, { severity: 'error', at: { file: 'app/controllers/orders.ts' } }, tag)
      t.ok((first?.at.line ?? 0) - line <= 1, tag)
      t.ok(first?.message.includes(says), `${tag}: ${first?.message}`)
    }
  }
  const idle = compiled('*', '*', '/** @icon ./list.png */\n  helper(): void {}').diagnostics
  t.match(idle, [{ severity: 'error' }], 'a method that is no route has no tool')
})
