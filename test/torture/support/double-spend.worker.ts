/** A process of its own for `double-spend.ts`: contends with its own store, round by round. Argument: the address. */
import { openStore } from '../../support/whole-store.ts'
import { contend, type Round } from './double-spend.ts'

const url = process.argv[2] ?? ''
const store = await openStore({ url, clock: () => Date.now(), migrations: {}, migrate: 'refuse' })
process.on('message', (round: Round) => {
  contend(store, round).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.once('disconnect', () => {
  store.close().then(() => process.exit(0))
})
process.send?.('ready')
