/** Modules that ask where they lie. */
import type { SmallApplication } from './run.ts'

const view = { 'app/views/hello.txt': 'hello', 'views.txt': 'above' }

const url =
  "import { fileURLToPath, pathToFileURL } from 'node:url'\nimport { readFileSync } from 'node:fs'\n"

export const places: readonly SmallApplication[] = [
  {
    title: 'import.meta: address, folder, file',
    files: {
      'app/deep/where.ts': `const { dirname } = import.meta
export function where() {
  return [import.meta.url, dirname, import.meta.filename, import . meta . dirname, Object.keys(import.meta).filter((key) => key !== "main").sort()]
}
`,
      'app/config.ts': `import { where } from './deep/where.ts'
export const config = () => [import.meta.url, import.meta.dirname, import.meta.filename, where(), import.meta === import.meta]
`,
    },
  },
  {
    title: 'a file beside a module',
    files: {
      ...view,
      'app/config.ts': `${url}import { join } from 'node:path'
const here = fileURLToPath(new URL('.', import.meta.url))
export const config = () => [
  readFileSync(new URL('./views/hello.txt', import.meta.url), 'utf8'),
  readFileSync(new URL('../views.txt', import.meta.url), 'utf8'),
  readFileSync(join(import.meta.dirname, 'views', 'hello.txt'), 'utf8'),
  readFileSync(join(here, 'views/hello.txt'), 'utf8'),
]
`,
    },
  },
  {
    title: '__dirname that a module makes for itself',
    files: {
      'app/config.ts': `${url}import { dirname } from 'node:path'
const __filename = fileURLToPath(import.meta.url)
const __dirname = dirname(__filename)
export const config = () => ({ __dirname, __filename })
`,
    },
  },
  {
    title: '__dirname and __filename, which no ES module has',
    files: {
      'app/deep/where.ts': `declare const __filename: string
export const where = () => ({ __dirname, file: __filename, key: { __dirname: 1 }.__dirname, kind: typeof __dirname })
`,
      'app/config.ts': `import { where } from './deep/where.ts'
export const config = () => [where(), ((__dirname: string) => __dirname)('own')]
`,
    },
    expected: [
      { __dirname: '<folder>/app/deep', file: '<folder>/app/deep/where.js', key: 1, kind: 'string' },
      'own',
    ],
  },
  {
    title: 'createRequire, import.meta.resolve',
    files: {
      'node_modules/there/package.json':
        '{"name":"there","exports":{"import":"./a.mjs","require":"./b.cjs"}}',
      'node_modules/there/a.mjs': 'export default 1\n',
      'node_modules/there/b.cjs': 'module.exports = 2\n',
      'app/data.json': '{"data":true}',
      'app/own.cjs': 'exports.own = require("./data.json")\n',
      'app/config.ts': `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
export const config = () => [
  require('./data.json'), require('there'), require('./own.cjs'), require.resolve('there'), require.resolve('./own.cjs'),
  import.meta.resolve('there'), import.meta.resolve('./data.json'), import.meta.resolve('../x y.txt'), import.meta.resolve('fs'), import.meta.resolve('node:os'),
]
`,
    },
  },
  {
    title: 'a folder and a file with characters of addresses in their names',
    files: {
      'app/a b#c%20?é/where.ts': `export const where = () => [import.meta.url, import.meta.dirname, import.meta.filename]\n`,
      'app/config.ts': `import { where } from './a b#c%20?é/where.ts'
export const config = where
`,
    },
    expected: [
      'file://<folder>/app/a%20b%23c%2520%3F%C3%A9/where.js',
      '<folder>/app/a b#c%20?é',
      '<folder>/app/a b#c%20?é/where.js',
    ],
  },
  {
    title: 'whether a module is the main one',
    files: {
      'app/config.ts': `${url}
const isMain = process.argv[1] === fileURLToPath(import.meta.url) || import.meta.url === pathToFileURL(process.argv[1] ?? '').href
export const config = () => [isMain, import.meta.filename === process.argv[1]]
`,
    },
  },
  {
    title: 'modules that ask for their place before they are run',
    files: {
      'app/a.ts': `import { b } from './b.ts'
export function a() { return import.meta.dirname }
export const fromB = b
`,
      'app/b.ts': `import { a } from './a.ts'
export const b = a()
`,
      'app/config.ts': `import { fromB } from './a.ts'
export const config = () => fromB
`,
    },
  },
  {
    title: 'a worker, by its address',
    files: {
      'app/config.ts': `import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import path, { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
const result = async (worker: Worker) => (await once(worker, 'message'))[0]
const other = new URL('./deep/work.js', import.meta.url)
const byPath = path.resolve(import.meta.dirname, 'deep', 'work.js')
export const config = async () => [
  await result(new Worker(new URL('./deep/work.js', import.meta.url), { workerData: 1 })),
  await result(new Worker(other, { workerData: new URL('./views/a.txt', import.meta.url).href })),
  await result(new Worker(byPath, { workerData: 2 })),
  await result(new Worker(join(dirname(fileURLToPath(import.meta.url)), './deep/work.js'), { workerData: 3 })),
  await result(new Worker(import.meta.dirname + '/deep/work.js', { workerData: 4 })),
]
`,
      'app/deep/work.ts': `import { parentPort, workerData } from 'node:worker_threads'
import { word } from '../word.ts'
parentPort?.postMessage([workerData, word, import.meta.dirname])
`,
      'app/word.ts': 'export const word = "word"\n',
    },
  },
  {
    title: 'a worker that is the module itself, and one in JavaScript',
    files: {
      'app/config.ts': `import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { once } from 'node:events'
const result = async (worker: Worker) => (await once(worker, 'message'))[0]
if (!isMainThread) parentPort?.postMessage(['myself', import.meta.filename])
export const config = async () => [
  await result(new Worker(import.meta.filename)),
  await result(new Worker(new URL(import.meta.url))),
  await result(new Worker(new URL('./plain.mjs', import.meta.url))),
]
`,
      'app/plain.mjs': `import { parentPort } from 'node:worker_threads'\nparentPort.postMessage(import.meta.url)\n`,
    },
  },
  {
    title: 'a child process, by its address',
    files: {
      'app/config.ts': `import { fork } from 'node:child_process'
import { once } from 'node:events'
export const config = async () => {
  const child = fork(new URL('./child.js', import.meta.url))
  const other = fork(\`\${import.meta.dirname}/child.js\`)
  const messages = await Promise.all([once(child, 'message'), once(other, 'message')])
  return messages.map(([message]) => message)
}
`,
      'app/child.ts': `process.send?.([import.meta.filename, 'child'] as const)
process.disconnect()
`,
    },
  },
]
