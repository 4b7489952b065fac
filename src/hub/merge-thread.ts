import { parentPort, workerData } from 'node:worker_threads'
import { decodeList } from '../protocol/decode.ts'
import { Rejection } from '../protocol/rejection.ts'
import { joinStorage } from '../storage/storage.ts'
import { CLOSE } from '../thread.ts'
import { mergeBatch } from './merge.ts'
import type { MergeRequest, MergeResponse, MergeThreadSettings } from './merger.ts'
import { FidQuota } from './quota.ts'

const settings = workerData as MergeThreadSettings
const storage = joinStorage(settings.storage)
const quota = new FidQuota()

parentPort?.on('message', async (request: MergeRequest | typeof CLOSE) => {
  if (request === CLOSE) await storage.close()
  parentPort?.postMessage(request === CLOSE ? CLOSE : await merge(request))
})

async function merge({ list, resolvedOwners, nowMs }: MergeRequest): Promise<MergeResponse> {
  try {
    const candidates = decodeList(list).map((message, i) => ({
      message,
      resolvedOwner: resolvedOwners?.[i],
    }))
    const { network, enforceBlocks } = settings
    const outcomes = await storage.write('hub', (tx) =>
      mergeBatch(tx, candidates, { nowMs, network, enforceBlocks, quota }),
    )
    return {
      outcomes: outcomes.map((outcome) => {
        if (!(outcome instanceof Rejection)) return outcome.id
        const { code, message, field, retryAfterSeconds } = outcome
        return { code, message, field, retryAfterSeconds }
      }),
    }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
