import { is, wholeOrFalse } from '../../boot/settings/checks.ts'
import { type Group, group, type Limit, limit, type Setting, setting } from '../../boot/settings/setting.ts'

/** Of `limits`. */
export class TaskLimits {
  /** How long one task may run, in seconds; default 3,600. */
  readonly taskSeconds: Limit = limit(wholeOrFalse, 3600)
  /** How much longer it is kept than it may run, in seconds; default 3,600. What is kept for good would grow for good. */
  readonly taskKeptSeconds: Setting<number> = setting(
    is('a positive whole number', (value) => Number.isInteger(value) && Number(value) > 0),
    3600,
  )
  /** Tasks of all clients together that run at once in this process; default 100. */
  readonly concurrentTasks: Limit = limit(wholeOrFalse, 100)
  /** Tasks of one of them that have not ended; default 20. */
  readonly tasksPerUser: Limit = limit(wholeOrFalse, 20)
  /** The same, those that have ended and are kept included; default 1,000. */
  readonly keptTasksPerUser: Limit = limit(wholeOrFalse, 1000)
}

export const taskLimits: Group<TaskLimits> = group(new TaskLimits())
