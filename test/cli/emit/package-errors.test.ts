/** Exception classes of packages, as installed: kysely's and zod's, however an application imports them; built and served. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf, strictSettings, typeErrors, write } from '../support/built-app.ts'

t.setTimeout(240_000)

const handler = (name: string, error: string, status: number): string => `
  /** @exception {${error}} ${status} */
  ${name}(_error: ${error}): { by: string } { return { by: '${name}' } }
`

const files = {
  'tsconfig.json': strictSettings,
  'app/errors.ts': `export { ZodError as Invalid } from 'zod'\nexport * from 'kysely'\n`,
  'app/controllers/by-name.ts': `import { Controller } from 'acmcp'
import { NoResultError } from 'kysely'
import { AssertionError } from 'node:assert'
import { ZodError } from 'zod'
export class ByName extends Controller {
  ${handler('invalid', 'ZodError', 422)}
  ${handler('missing', 'NoResultError', 404)}
  ${handler('wrong', 'AssertionError', 409)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
export function thrown(kind: string): unknown {
  if (kind === 'zod') return new ZodError([])
  if (kind === 'assert') return new AssertionError({ message: kind })
  return new NoResultError({ kind: 'SelectQueryNode' })
}
`,
  'app/controllers/renamed.ts': `import { Controller } from 'acmcp'
import type { NoResultError as Nothing } from 'kysely'
import type * as z from 'zod'
import { thrown } from './by-name.ts'
export class Renamed extends Controller {
  ${handler('invalid', 'z.ZodError', 422)}
  ${handler('missing', 'Nothing', 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
`,
  'app/controllers/reexported.ts': `import { Controller } from 'acmcp'
import type { Invalid, NoResultError } from '../errors.ts'
import { thrown } from './by-name.ts'
export class Reexported extends Controller {
  ${handler('invalid', 'Invalid', 422)}
  ${handler('missing', 'NoResultError', 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
`,
  'app/controllers/spaced.ts': `import { Controller } from 'acmcp'
import { z } from 'zod'
import { thrown } from './by-name.ts'
export class Spaced extends Controller {
  ${handler('invalid', 'z.ZodError', 422)}
  ${handler('missing', "import('kysely').NoResultError", 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { z.string(); throw thrown(kind) }
}
`,
}

function application(changed: Readonly<Record<string, string>>): string {
  const root = folderOf(t, { ...files, ...changed })
  for (const name of ['kysely', 'zod'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name), 'dir')
  return root
}

t.test('errors.md, handlers: a class of a package is imported as the application does', async (t) => {
  const root = application({})
  t.equal((await built(root)).stderr, '')
  t.equal(typeErrors(root), '')
  const table = readFileSync(join(root, 'generated/routes.ts'), 'utf8')
  t.strictSame(table.match(/^import .*(zod|kysely|errors|assert).*/gm), [
    "import { Invalid, NoResultError as NoResultError2 } from '../app/errors.ts'",
    "import { NoResultError } from 'kysely'",
    "import { AssertionError } from 'node:assert'",
    "import { ZodError } from 'zod'",
  ])
  const app = await openTestApp({ cwd: root })
  t.teardown(() => app.close())
  const answers: unknown[] = []
  for (const path of ['by_name', 'renamed', 'reexported', 'spaced'])
    for (const kind of ['zod', 'kysely']) {
      const answer = await app.client().get(`/${path}?kind=${kind}`)
      answers.push([path, answer.statusCode, answer.body])
    }
  t.strictSame(
    answers,
    ['by_name', 'renamed', 'reexported', 'spaced'].flatMap((path) => [
      [path, 422, '{"by":"invalid"}'],
      [path, 404, '{"by":"missing"}'],
    ]),
  )
  t.equal((await app.client().get('/by_name?kind=assert')).statusCode, 409)
})

t.test('a handler of a class of a package that an earlier one covers is told (ACM213)', async (t) => {
  const root = application({
    'app/controllers/renamed.ts': `import { Controller } from 'acmcp'
import { NoResultError } from 'kysely'
export class Gone extends NoResultError {}
export class Renamed extends Controller {
  ${handler('first', 'NoResultError', 404)}
  ${handler('second', 'Gone', 410)}
  /**
   * Throws.
   *
   * @get /
   */
  index(): string { throw new Gone({ kind: 'SelectQueryNode' }) }
}
`,
  })
  const { status, stderr } = await built(root)
  t.match([status, stderr], [0, /ACM213.*second/])
})

t.test('the frame of a mistake that the bundle finds shows the line as it was to be (ACM301)', async (t) => {
  const root = application({})
  write(root, 'generated/routes.ts', '// old\n// old\n// old\n// old\n')
  write(
    root,
    'app/controllers/renamed.ts',
    `import { Controller } from 'acmcp'
export declare class Nowhere extends Error {}
export class Renamed extends Controller {
  ${handler('missing', 'Nowhere', 404)}
  /**
   * Throws.
   *
   * @get /
   */
  index(): string { return '' }
}
`,
  )
  const { stderr } = await built(root)
  t.match(stderr, /ACM301: No matching export .* "Nowhere"\n {2}\d \| import .*Nowhere/)
})
