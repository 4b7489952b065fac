import type { Logger } from '../../kernel/http/logger.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Module } from '../../kernel/module.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { ModerationTask } from '../../kernel/storage/tables/moderation.ts'

// The end of an erasure. When the messages of an account are gone from the store, and the rows that tables declare, the modules
// that keep more remove it themselves: views, bytes of pictures. Then parts of files that are not in use are overwritten.

export type ErasuresOptions = {
  readonly storage: Pick<Storage, 'moderation' | 'overwriteDeleted' | 'write'>
  /** `Module.erase` of every module that has one. */
  readonly erasers: () => readonly NonNullable<Module['erase']>[]
  readonly log: Pick<Logger, 'info'>
}

const LOOK_EVERY_MS = 1_000

/** The job that finishes erasures. It begins again after a restart. */
export function erasureJob({ storage, erasers, log }: ErasuresOptions): Job {
  const finish = async (task: ModerationTask, signal: AbortSignal): Promise<boolean> => {
    const upTo = Number(Buffer.from(task.position!).toString())
    for (const erase of erasers()) {
      if (!(await erase(task.fid, upTo, signal))) return false
    }
    return true
  }
  return {
    name: 'finish erasures',
    scope: 'leader',
    everyMs: LOOK_EVERY_MS,
    firstAfterMs: 0,
    async run({ signal }) {
      const tasks = await storage.moderation.erasedTasks()
      if (tasks.length === 0) return
      const finished: ModerationTask[] = []
      const failures: unknown[] = []
      // One that fails keeps no other waiting.
      for (const task of tasks) {
        const isFinished = await finish(task, signal).catch((error) => {
          failures.push(error)
          return false
        })
        if (isFinished) finished.push(task)
      }
      // Once for all of them: it reads whole files.
      if (finished.length > 0) await storage.overwriteDeleted(signal)
      for (const task of finished) {
        await storage.write('hub', (tx) => tx.moderation.removeTask(task))
        log.info({ fid: task.fid }, 'erasure finished')
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
