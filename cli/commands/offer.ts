/** Runs `acmcp prompts`, `resources`, `prompt` and `read`; returns the exit code. */
import type { OfferTask } from './offer-commands.ts'
import type { OffersOptions } from './offers.ts'
import type { ReadOptions } from './read.ts'

export interface OfferTaskOptions extends Omit<ReadOptions, 'uri'>, Pick<OffersOptions, 'colour'> {}

export async function runOfferTask(task: OfferTask, options: OfferTaskOptions): Promise<0 | 1 | 2> {
  switch (task.kind) {
    case 'prompt':
      return (await import('./prompt.ts')).prompt({ ...options, ...task })
    case 'read':
      return (await import('./read.ts')).readResource({ ...options, ...task })
    default: {
      const { offers } = await import('./offers.ts')
      const { isPrintedToTerminal: isTerminal } = options
      return offers({ ...options, kind: task.kind, isTerminal })
    }
  }
}
