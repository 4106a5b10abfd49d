/** Functions and classes: their text, where it goes to another program, and their names. */
import type { SmallApplication } from './run.ts'

export const functions: readonly SmallApplication[] = [
  {
    title: 'functions whose text another program runs',
    files: {
      'app/other.ts': `export function inner() { return 'other' }
export const arrow = () => 'other'
export class K {}
`,
      'app/config.ts': `import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { inner as otherInner, arrow as otherArrow, K as OtherK } from './other.ts'
function work(start: number) {
  function inner() { return start + 1 }
  const arrow = (n: number) => { const deep = () => n; return deep() }
  class K { static x = () => 1; m = () => 2; #p = function () { return 3 }; run() { return this.#p() } }
  let late
  late = function () { return 4 }
  const { q = () => 5 } = {} as { q?: () => number }
  const object = { f: () => 6, 'quoted': () => 7, get g() { return () => 8 }, [\`computed\`]: () => 9 }
  const named = function self(): string { return self.name }
  return [inner(), arrow(2), K.x(), new K().m(), new K().run(), late(), q(), object.f(), object.quoted(), object.g(), object.computed(), named(), inner.name, arrow.name, K.name, q.name, object.f.name, late.name]
}
class Whole { run() { const step = () => 'step'; return [step(), Whole.name] } }
const text = \`const { parentPort } = require('node:worker_threads'); parentPort.postMessage((\${work})(1))\`
export const config = async () => {
  const worker = new Worker(text, { eval: true })
  const [fromWorker] = await once(worker, 'message')
  return [
    runInNewContext(\`(\${work})(1)\`), new Function(\`return (\${work})(1)\`)(), fromWorker, work(1),
    runInNewContext(\`new (\${Whole})().run()\`), otherInner(), otherArrow(), OtherK.name, otherInner.name, otherArrow.name,
  ]
}
`,
    },
  },
  {
    title: 'names of functions and classes that several modules have',
    files: {
      'app/a.ts': `export class Note { static make() { return new Note() } }
export const f = () => 1
export default function () {}
export const g = class {}
export const h = class Inner { static z: unknown = Inner }
`,
      'app/b.ts': `export default class extends Array {}
export const f = async () => 3
export class Note {
  static kept = Note.name
  inner() { function Note() {} const f = () => 1; return [Note.name, f.name, (() => { class Note {} return Note.name })()] }
}
export function* g() {}
`,
      'app/c.ts': `const Note = { name: 'own' }\nexport { Note }\nexport default () => 1\nexport class Failure extends Error { override name = this.constructor.name }\n`,
      'app/config.ts': `import * as a from './a.ts'
import * as b from './b.ts'
import * as c from './c.ts'
class Failure extends c.Failure {}
const Named = class { static override = 1; static name = 'static name' }
export const config = () => [
  a.Note.name, a.Note.make().constructor.name, a.f.name, a.default.name, a.g.name, a.h.name,
  b.default.name, b.f.name, b.Note.name, b.Note.kept, new b.Note().inner(), b.g.name,
  c.Note.name, c.default.name, new c.Failure().name, new Failure().name, Named.name,
  [a, b].map(({ Note }) => String(new Note())), Object.getOwnPropertyDescriptor(b.f, 'name'),
]
`,
    },
  },
  {
    title: 'eval, this, strings that look like what a bundler writes',
    files: {
      'app/config.ts': `const secret = 'local'
const text = '__name(work, "work")'
const lines = \`
__name(lines, "lines");
import.meta.url __dirname
\`
export const config = () => [eval('secret'), typeof this, text, lines, /import\\.meta/.source, String(function () { return '__name(x, "x")' })]
`,
    },
    expected: [
      'local',
      'undefined',
      '__name(work, "work")',
      '\n__name(lines, "lines");\nimport.meta.url __dirname\n',
      'import\\.meta',
      'function() {\n  return \'__name(x, "x")\';\n}',
    ],
  },
]
