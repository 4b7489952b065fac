import type { Logger } from '../http/logger.ts'
import type { Job } from '../jobs/job.ts'
import type { Storage } from '../storage/storage.ts'
import type { ModerationTask } from '../storage/tables/moderation.ts'
import type { EraseFromViews } from '../views/port.ts'

// The end of an erasure. When the messages of an account are gone from the store, copies of them may still be in the views,
// in deliveries that wait for webhooks, and in parts of files that are not in use.

export type ErasuresOptions = {
  readonly storage: Pick<Storage, 'moderation' | 'miniApps' | 'overwriteDeleted' | 'write'>
  /** Undefined when this server keeps no views. */
  readonly eraseFromViews: EraseFromViews | undefined
  /** Removes the pictures of an account with their bytes. */
  readonly eraseMedia: (fid: number) => Promise<void>
  readonly log: Pick<Logger, 'info'>
}

const LOOK_EVERY_MS = 1_000
/** No account has listed more. */
const MAX_OWN_APPS = 10_000

/** The job that finishes erasures. It begins again after a restart. */
export function erasureJob({ storage, eraseFromViews, eraseMedia, log }: ErasuresOptions): Job {
  const finish = async (task: ModerationTask, signal: AbortSignal): Promise<boolean> => {
    const { fid, position } = task
    await eraseMedia(fid)
    const upTo = Number(Buffer.from(position!).toString())
    if (eraseFromViews && !(await eraseFromViews(fid, upTo, signal))) return false
    await storage.write('all/sign-ins', (tx) => tx.sealedKeys.removeOf(fid))
    await eraseMiniApps(storage, fid)
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

/** Removes what an account has added and opened, what it was told, and the apps that it has listed. */
async function eraseMiniApps(
  storage: Pick<ErasuresOptions['storage'], 'miniApps' | 'write'>,
  fid: number,
): Promise<void> {
  const own = await storage.miniApps.ofAuthor(fid, MAX_OWN_APPS)
  const parts = own.map(({ domain }) => `mini-app/${domain}` as const)
  await storage.write(['all/mini-apps', `fid/${fid}`, ...parts], async (tx) => {
    await tx.miniApps.eraseOf(fid)
    await tx.miniAppUsers.erase(fid)
    await tx.miniAppNotices.erase(fid)
    await tx.miniAppDeliveries.erase(fid)
  })
}
