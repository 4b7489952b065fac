import { Rejection } from '../../protocol/rejection.ts'
import type { Block } from '../../storage/blocks.ts'
import type { PlatformContext } from '../context.ts'
import { unknownFid } from '../unknown.ts'

/** Users that one user blocks. */
export const MAX_BLOCKS_PER_FID = 20_000
/** Lines of one portion of an import, and of an export. */
export const MAX_BATCH_RECORDS = 500

type Context = Pick<PlatformContext, 'storage' | 'now'>

/** Blocks a user; one that is blocked already stays so since when it was. */
export const block = ({ storage, now }: Context, blocker: number, blocked: number) =>
  storage.write('platform', async (tx) => {
    if (blocker === blocked) {
      const text = 'nobody can block themselves'
      throw new Rejection('bad_request.validation_failure', text, { field: 'blockFid' })
    }
    if (!(await tx.accounts.custody(blocked))) {
      throw unknownFid(blocked, 'blockFid')
    }
    await tx.blocks.insert([{ blocker, blocked, created_at: now() }])
    if ((await tx.blocks.countOf(blocker)) > MAX_BLOCKS_PER_FID) {
      const text = `FID ${blocker} blocks ${MAX_BLOCKS_PER_FID} users; one has to go first`
      throw new Rejection('bad_request.validation_failure', text, { field: 'blockFid' })
    }
  })

/** Lets a user be, who need not be blocked. */
export const unblock = ({ storage }: Context, blocker: number, blocked: number) =>
  storage.write('platform', (tx) => tx.blocks.remove({ blocker, blocked }))

/**
 * Takes blocks as they are, with the time they were made; says how many are new. Their fids need not be
 * known yet: accounts may be brought in later.
 */
export const importBlocks = ({ storage }: Context, blocks: readonly Block[]) =>
  storage.write('platform', (tx) => {
    for (const [i, { blocker, blocked }] of blocks.entries()) {
      if (blocker !== blocked) continue
      const text = `FID ${blocker} cannot block itself`
      const field = `lines.${i}.block.blockedFid`
      throw new Rejection('bad_request.validation_failure', text, { field })
    }
    return tx.blocks.insert(blocks)
  })
