import Libsql from 'libsql'

/** How many statements the SQLite store of this process runs meanwhile. */
export async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const statements = Object.getPrototypeOf(new Libsql(':memory:').prepare('select 1'))
  const { all, run } = statements
  let count = 0
  const counting = (real: (this: unknown, ...bound: unknown[]) => unknown) =>
    function counted(this: unknown, ...bound: unknown[]): unknown {
      count += 1
      return real.apply(this, bound)
    }
  Object.assign(statements, { all: counting(all), run: counting(run) })
  try {
    await work()
    return count
  } finally {
    Object.assign(statements, { all, run })
  }
}
