/** The helpers of `generated/paths.ts`, called: what an address can hold, and what none can. */
import { transformSync } from 'esbuild'
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { memoryHost } from '../support/memory-host.ts'

const source = `import { Controller } from 'acmcp'
/** Pages. */
export class Pages extends Controller {
  /**
   * Removes a page.
   *
   * @delete /:id
   * @param id - which
   */
  remove(id: string): void { void id }
  /**
   * Removes all pages.
   *
   * @delete /
   */
  clear(): void {}
  /**
   * Shows a page.
   *
   * @get /at/*:path
   * @param path - where it is
   */
  show(path: string): string { return path }
}
`

type Helper = (parameters: Readonly<Record<string, unknown>>) => string

async function helpers(): Promise<Record<'remove' | 'show', Helper>> {
  const { files, diagnostics } = compile(memoryHost({ 'app/controllers/pages.ts': source }))
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics))
  const text = files.find(({ path }) => path === 'generated/paths.ts')?.text ?? ''
  const { code } = transformSync(text, { loader: 'ts' })
  const { paths } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return paths.pages
}

t.test(
  'a path value that would lead to another address is a TypeError, as in the typed client',
  async (t) => {
    const { remove, show } = await helpers()
    for (const id of ['.', '..', '']) {
      t.throws(() => remove({ id }), new TypeError(`id: ${JSON.stringify(id)} cannot stand in a path`))
    }
    for (const id of [undefined, null])
      t.throws(() => remove({ id }), new TypeError('id is missing: it is part of the path'))
    for (const path of [
      '/evil.example/x',
      '//evil.example',
      'a//b',
      'a/',
      '',
      '.',
      'a/../b',
      './a',
      'a/..',
    ]) {
      t.throws(() => show({ path }), new TypeError(`path: ${JSON.stringify(path)} cannot stand in a path`))
    }
    t.strictSame(
      [
        remove({ id: '...' }),
        remove({ id: 'a/../b c' }),
        show({ path: 'a/b c/%2e%2e' }),
        show({ path: '.a/b..' }),
      ],
      ['/pages/...', '/pages/a%2F..%2Fb%20c', '/pages/at/a/b%20c/%252e%252e', '/pages/at/.a/b..'],
    )
  },
)
