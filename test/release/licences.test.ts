/** Who uses acmcp takes over the licences of all that comes with it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** A package in `package-lock.json`, by the folder that it is installed to. */
interface LockedPackage {
  readonly license?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
  readonly optional?: boolean
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
)

const locked = Object.entries(lock.packages).filter(([folder]) => folder !== '')

/** Those that `npm install acmcp` installs, of every platform. */
const shipped = locked.filter(([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer)

const permissive = new Set(
  'MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD BlueOak-1.0.0 Unlicense'.split(' '),
)

/** Every part of `A AND B`, one of `A OR B`. */
const isPermissive = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(/ AND /)
    .every((part) =>
      part
        .replace(/[()]/g, '')
        .split(' OR ')
        .some((name) => permissive.has(name)),
    )

interface Installed {
  readonly license?: string | { readonly type: string }
}

/** What the installed package says; the lock file where this platform has it not. */
function licenceOf(folder: string, { license }: LockedPackage): string {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return license ?? 'none'
  const reported: Installed = JSON.parse(readFileSync(path, 'utf8'))
  return (typeof reported.license === 'object' ? reported.license.type : reported.license) ?? 'none'
}

t.test('release: the licence of every package that comes with acmcp is permissive', async (t) => {
  t.ok(shipped.length > 50, `${shipped.length} packages`)
  t.strictSame(
    shipped
      .map(([folder, entry]) => [folder, licenceOf(folder, entry)] as const)
      .filter(([, licence]) => !isPermissive(licence)),
    [],
  )
  const missing = shipped.filter(([folder, { optional }]) => optional !== true && !existsSync(folder))
  t.strictSame(missing, [], 'all of them are installed and were read, but for other platforms')
})

t.test(
  'the release: copyleft is refused, also in expressions; MPL-2.0 is for development only',
  async (t) => {
    const expressions = [
      'GPL-3.0',
      'MIT AND LGPL-2.1',
      '(MIT OR GPL-2.0)',
      'MPL-2.0',
      'none',
      '(MIT AND Zlib)',
    ]
    t.strictSame(expressions.map(isPermissive), [false, false, true, false, false, false])
    const mozilla = locked.filter(([folder, entry]) => licenceOf(folder, entry).includes('MPL'))
    t.strictSame(
      mozilla.filter(([, { dev }]) => dev !== true),
      [],
    )
  },
)
