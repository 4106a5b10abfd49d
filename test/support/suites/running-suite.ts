/** What `import t from 'tap'` gives the suites of one process: the test of the suite that is running. */
import root, { type Test } from 'tap'

let running: Test = root

/** From now on `t` is this test. */
export function enter(suite: Test): void {
  running = suite
}

const t: Test = new Proxy<Test>(root, {
  get(_, name) {
    const value: unknown = Reflect.get(running, name)
    return typeof value === 'function' ? value.bind(running) : value
  },
  set: (_, name, value) => Reflect.set(running, name, value),
})

// biome-ignore lint/style/noDefaultExport: tap has one
export default t
