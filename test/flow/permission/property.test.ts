/** Random scope graphs, routes and grants, with a seed that is printed; 100,000 calls are `npm run torture`. */
import t from 'tap'
import { buildNotes } from './support/notes-app.ts'
import { playRound } from './support/random-round.ts'
import { newWorld } from './support/world.ts'

t.setTimeout(180_000) // a busy machine

t.test(
  'what is listed and done: lists show what can be called, and no token does what its grant did not show',
  async (t) => {
    const world = newWorld(await buildNotes())
    const seed = Number(process.env.ACMCP_SEED ?? Date.now() % 1_000_000)
    t.comment(`seed ${seed}`)
    for (let round = 0; round < 3; round += 1) {
      const { calls, ran, lists, breaches } = await playRound(world, seed + round, 80)
      t.strictSame(
        breaches,
        [],
        `${calls} calls, of which ${ran} ran, and ${lists} lists of seed ${seed + round}`,
      )
    }
  },
)
