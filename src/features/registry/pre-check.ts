import type { Reader } from '../../kernel/storage/storage.ts'
import type { CheckedRequest } from './check.ts'
import { readNames } from './name-state.ts'
import { readQuota } from './quota.ts'
import type { RegistrySettings } from './settings.ts'
import { decideTransfer, isUnpublished, type TransferDecision } from './transfer-rules.ts'

/** The optimistic pre-check of a request: what the present state decides, which may change before the group commit. */
export type PreCheck = {
  readonly decision: TransferDecision
  /** Whether the claim cannot be a replay: nobody but its signer can know it. */
  readonly isUnpublished: boolean
}

type PreCheckOptions = {
  readonly settings: Pick<RegistrySettings, 'intervals' | 'limits'>
  readonly nowMs: number
}

/** Decides requests by the present state, without the lock and each as if it were the only one. */
export async function preCheck(
  reader: Pick<Reader, 'of' | 'quotas'>,
  requests: readonly CheckedRequest[],
  { settings, nowMs }: PreCheckOptions,
): Promise<PreCheck[]> {
  const now = Math.floor(nowMs / 1000)
  const fids = requests.map(({ actingFid }) => actingFid)
  const [names, quota] = await Promise.all([
    readNames(reader, requests, now - settings.intervals.change),
    readQuota(reader, settings.limits, fids),
  ])
  return requests.map((request) => {
    const history = names.historyOf(request)
    const decision = decideTransfer(history, request, now, settings.intervals)
    const excess = request.byAdmin ? undefined : quota.excessOf(request.actingFid, nowMs)
    return {
      decision:
        decision.outcome === 'transfer' && excess
          ? { outcome: 'refused', rejection: excess }
          : decision,
      isUnpublished: isUnpublished(history, request, now),
    }
  })
}
