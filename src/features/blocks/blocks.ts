import type { PlatformContext } from '../../kernel/platform/context.ts'
import { unknownFid } from '../../kernel/platform/unknown.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Block } from '../../kernel/storage/tables/blocks.ts'

/** The greatest number of users that one user blocks. */
const MAX_BLOCKS_PER_FID = 20_000
/** Records in one batch of an import or an export. */
export const MAX_BATCH_RECORDS = 500

type Context = Pick<PlatformContext, 'storage' | 'now'>

/** Blocks a user. Blocking again does not change the time of the block. */
export const block = ({ storage, now }: Context, blocker: number, blocked: number) =>
  storage.write(`fid/${blocker}`, async (tx) => {
    if (blocker === blocked) {
      const text = 'users cannot block themselves'
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

/** Unblocks a user. Idempotent. Throws a Rejection when a link of the blocker still blocks the user. */
export async function unblock({ storage }: Context, blocker: number, blocked: number) {
  const left = await storage.write(`fid/${blocker}`, async (tx) => {
    await tx.blocks.remove({ blocker, blocked })
    return tx.blocks.among([{ blocker, blocked }])
  })
  if (left.length === 0) return
  const text = `a link of type "block" of fid ${blocker} still blocks fid ${blocked}; submit its LINK_REMOVE to the hub`
  throw new Rejection('bad_request.conflict', text, { field: 'unblockFid' })
}

/**
 * Imports blocks with their times. Returns the number that are new. Their fids need not be registered: accounts may
 * be imported later.
 */
export const importBlocks = ({ storage }: Context, blocks: readonly Block[]) =>
  storage.write(
    blocks.map(({ blocker }) => `fid/${blocker}` as const),
    (tx) => {
      for (const [i, { blocker, blocked }] of blocks.entries()) {
        if (blocker !== blocked) continue
        const text = `FID ${blocker} cannot block itself`
        const field = `lines.${i}.block.blockedFid`
        throw new Rejection('bad_request.validation_failure', text, { field })
      }
      return tx.blocks.insert(blocks)
    },
  )
