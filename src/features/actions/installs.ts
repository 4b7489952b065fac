import type { PlatformContext } from '../../kernel/platform/context.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { PlatformPart } from '../../kernel/storage/storage.ts'
import { actionPart, findAction, getAction, readActionUrl } from './known.ts'
import { actionRows } from './tables/actions.ts'

/** The greatest number of installed actions of one user. */
export const MAX_INSTALLED_ACTIONS = 100

type Context = Pick<PlatformContext, 'storage' | 'now'>

/** The installs of a user and those of an action are counted. */
const partsOf = (fid: number, actionUrl: string): PlatformPart[] => [
  `fid/${fid}`,
  actionPart(readActionUrl(actionUrl).href),
]

/** Installs an action for a user. Idempotent. */
export const installAction = ({ storage, now }: Context, fid: number, actionUrl: string) =>
  storage.write(partsOf(fid, actionUrl), async (tx) => {
    const { id } = await getAction(tx.of(actionRows), actionUrl)
    await tx.of(actionRows).install(fid, id, now())
    if ((await tx.of(actionRows).installedCount(fid)) > MAX_INSTALLED_ACTIONS) {
      const text = `FID ${fid} has ${MAX_INSTALLED_ACTIONS} actions; one has to go first`
      throw new Rejection('bad_request.validation_failure', text, { field: 'actionUrl' })
    }
  })

/** Uninstalls an action of a user. Idempotent. */
export const uninstallAction = ({ storage }: Context, fid: number, actionUrl: string) =>
  storage.write(partsOf(fid, actionUrl), async (tx) => {
    const known = await findAction(tx.of(actionRows), actionUrl)
    if (known) await tx.of(actionRows).uninstall(fid, known.id)
  })
