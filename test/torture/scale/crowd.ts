/** People who act at random, each one thing after the other, all at once. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Person } from './person.ts'
import { ToolFailed, Unanswered } from './person.ts'

/** How often each thing is done, of a hundred. */
const mix: readonly (readonly [keyof Actions, number])[] = [
  ['look', 26],
  ['add', 20],
  ['file', 3],
  ['lookByTool', 20],
  ['addByTool', 18],
  ['refresh', 7],
  ['race', 3],
  ['revoke', 2],
  ['signIn', 1],
]

type Actions = Pick<
  Person,
  'look' | 'add' | 'file' | 'lookByTool' | 'addByTool' | 'refresh' | 'race' | 'revoke' | 'signIn'
>

export interface Tally {
  /** Things that were done to their end. */
  done: number
  /** Why others were not, and when. */
  readonly unanswered: {
    readonly at: number
    readonly what: string
    readonly why: string
    readonly isTool: boolean
  }[]
}

/** Who got no answer does not hurry. */
const againAfterMs = 100

/** They act until `isOver`. */
export async function act(people: readonly Person[], isOver: () => boolean): Promise<Tally> {
  const tally: Tally = { done: 0, unanswered: [] }
  const item = async (person: Person): Promise<void> => {
    while (!isOver()) {
      const what = person.isSignedIn ? chosen() : 'signIn'
      try {
        await person[what]()
        tally.done += 1
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        tally.unanswered.push({
          at: performance.now(),
          what,
          why: error.message,
          isTool: error instanceof ToolFailed,
        })
        await pause(againAfterMs)
      }
    }
  }
  await Promise.all(people.map(item))
  return tally
}

function chosen(): keyof Actions {
  let at = Math.random() * mix.reduce((sum, [, share]) => sum + share, 0)
  for (const [what, share] of mix) {
    at -= share
    if (at < 0) return what
  }
  return 'look'
}
