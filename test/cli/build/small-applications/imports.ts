/** The forms of imports, and what they lead to. */
import type { SmallApplication } from './run.ts'

const commonJs = {
  'node_modules/common/package.json': '{"name":"common","main":"index.js"}',
  'node_modules/common/index.js': 'exports.named = "named"; exports.more = { a: 1 }\n',
  'node_modules/marked/package.json': '{"name":"marked","main":"index.js"}',
  'node_modules/marked/index.js':
    'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "default"; exports.named = 1\n',
  'node_modules/types/package.json':
    '{"name":"types","type":"module","exports":{".":{"types":"./i.d.ts","default":"./i.js"}}}',
  'node_modules/types/i.d.ts': 'export interface Shape { a: 1 }\nexport declare class Real {}\n',
  'node_modules/types/i.js': 'export class Real {}\n',
}

export const imports: readonly SmallApplication[] = [
  {
    title: 'packages of CommonJS: default, named, namespace',
    files: {
      ...commonJs,
      'app/config.ts': `import common, { named } from 'common'
import * as all from 'common'
import marked, { named as one } from 'marked'
import * as whole from 'marked'
import fs = require('node:fs')
import legacy = require('marked')
export const config = () => [common, named, all, marked, one, whole, typeof fs.readFileSync, legacy]
`,
    },
  },
  {
    title: 'types among values, where tsc leaves them out',
    files: {
      ...commonJs,
      'app/shapes.ts': 'export interface Own { b: 2 }\nexport type Id = string\nexport const value = 3\n',
      'app/again.ts': `export { type Own, value } from './shapes.ts'
export type { Id } from './shapes.ts'
export * from './shapes.ts'
import { Real, type Shape } from 'types'
export { Real }
export type { Shape }
export default interface Lonely { c: 3 }
`,
      'app/config.ts': `import { type Own, value, Id } from './again.ts'
import * as all from './again.ts'
const id: Id = 'x'
export const config = () => [value, Object.keys(all).sort(), id]
`,
    },
  },
  {
    title: 'side effects: in order, of packages that say that they have none too',
    files: {
      'package.json': '{"name":"shop","version":"1.0.0","type":"module","sideEffects":false}',
      'node_modules/pure/package.json':
        '{"name":"pure","type":"module","sideEffects":false,"exports":"./i.js"}',
      'node_modules/pure/i.js': '(globalThis.order ??= []).push("pure")\n',
      'app/first.ts': `(globalThis as any).order ??= []; (globalThis as any).order.push('first')\nexport const unused = 1\n`,
      'app/second.ts': `(globalThis as any).order.push('second')\nexport {}\n`,
      'app/third.ts': `export const third = /* @__PURE__ */ (globalThis as any).order.push('third')\n`,
      'app/barrel.ts': `export { unused } from './first.ts'\nexport { third } from './third.ts'\n`,
      'app/config.ts': `import 'pure'
import './first.ts'
import './second.ts'
import { unused } from './barrel.ts'
const order = (globalThis as any).order
delete (globalThis as any).order
export const config = () => [order, unused]
`,
    },
  },
  {
    title: 'import(): of names that are written, with a variable in them, of addresses, of packages',
    files: {
      ...commonJs,
      'app/words/en.ts': 'export const word = "hello"\n',
      'app/words/de.ts': 'export const word = "hallo"\n',
      'app/own.mjs': 'export default import.meta.url\n',
      'app/config.ts': `import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
const name = 'common'
const local = pathToFileURL(join(import.meta.dirname, 'own.mjs')).href
export const config = async (language = 'de') => [
  (await import('./words/en.ts')).word,
  (await import(\`./words/\${language}.ts\`)).word,
  (await import('./words/' + language + '.ts')).word,
  (await import(name)).named,
  (await import(import.meta.resolve(name))).named,
  (await import(local)).default,
  (await import(new URL('./own.mjs', import.meta.url).href)).default,
  (await import(language === 'de' ? 'common' : 'marked')).named,
]
`,
    },
  },
  {
    title: 'JSON, with and without attributes',
    files: {
      'app/data.json': '{"a":[1,null],"default":2}',
      'app/config.ts': `import data from './data.json' with { type: 'json' }
export const config = async () => [data, (await import('./data.json', { with: { type: 'json' } })).default]
`,
    },
  },
  {
    title: 'CommonJS beside the sources: Node.js loads it',
    files: {
      'app/client/index.cjs': `const crypto = require('node:crypto')
const optional = (() => { try { return require('never-installed') } catch (error) { return error.code } })()
const data = require('./data.json')
const path = require('path')
module.exports = { named: typeof crypto.randomBytes, optional, data, file: path.join(__dirname, 'x'), own: require.resolve('./index.cjs'), main: require.main === module, again: require('./other.cjs') }
`,
      'app/client/other.cjs': 'exports.name = __filename; exports.late = (name) => require(name)\n',
      'app/client/data.json': '{"json":1}',
      'app/legacy/package.json': '{"type":"commonjs"}',
      'app/legacy/index.js': 'exports.legacy = require("node:os").EOL; exports.where = __dirname\n',
      'app/config.ts': `import client, { named } from './client/index.cjs'
import * as all from './client/other.cjs'
import { legacy, where } from './legacy/index.js'
import other = require('./client/other.cjs')
export const config = async () => [client, named, client.again.late('./data.json'), all.name, legacy, where, (await import('./client/other.cjs')).name, other === all.default]
`,
    },
  },
  {
    title: 'names of the own package: #imports, self-reference, node:',
    files: {
      ...commonJs,
      'package.json':
        '{"name":"shop","version":"1.0.0","type":"module","imports":{"#db":"./app/db.js","#pkg":"common","#lib/*":"./lib/*.mjs"},"exports":{"./lib":"./lib/own.mjs"}}',
      'lib/own.mjs': 'export const own = "own"\n',
      'app/db.ts': 'export const db = "db"\n',
      'app/config.ts': `import { own } from 'shop/lib'
import { own as again } from '#lib/own'
import { db } from './db.js'
import { named } from '#pkg'
import { EOL } from 'node:os'
import os from 'os'
export const config = () => [own, again, db, named, EOL === os.EOL]
`,
    },
  },
  {
    title: 'optional packages, native ones too',
    files: {
      'node_modules/native/package.json': '{"name":"native","main":"index.js"}',
      'node_modules/native/index.js':
        'try { module.exports = require("./build/x.node") } catch (error) { exports.code = error.code }\n',
      'app/config.ts': `import native from 'native'
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
let optional = null
try { optional = require('never-installed') } catch { optional = 'none' }
export const config = () => [native, optional]
`,
    },
  },
  {
    title: 'top-level await, in modules that import each other, and in one that comes late',
    files: {
      'app/a.ts': `import { b } from './b.ts'\nexport const a = await Promise.resolve(b + 1)\n`,
      'app/b.ts': `await new Promise((done) => setTimeout(done, 1))\nexport const b = 1\nexport const early = await import('./c.ts')\n`,
      'app/c.ts': `export const c = await Promise.resolve('c')\n`,
      'app/config.ts': `import { a } from './a.ts'
import { b, early } from './b.ts'
const late = await import('./c.ts')
export const config = () => [a, b, late.c, late === early]
`,
    },
  },
  {
    title: 'TypeScript of CommonJS',
    files: {
      'app/old.cts': `import os = require('node:os')
const path = require('node:path')
export = { eol: os.EOL, base: path.basename(__filename), dir: __dirname }
`,
      'app/config.ts': `import old from './old.cjs'
export const config = () => old
`,
    },
    expected: { eol: '\n', base: 'old.cts', dir: '<folder>/app' },
  },
]
