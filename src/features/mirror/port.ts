import { port } from '../../kernel/ports.ts'
import type { MirrorStatus } from './status.ts'

/** Names of a registry as a hub proves them, where they are believed. */
export { believedTransfers } from './accounts.ts'
export { isNotMirrored, scopeOf } from './missing.ts'
export { fidOfMessage, hashOfMessage, timestampOfMessage } from './source/events.ts'
export { RequestLimiter } from './source/request-limiter.ts'
/** Names that are known by the word of the source alone. */
export { mirrorNameRows } from './tables/mirror-names.ts'

/** How far the mirror is; not offered when this server mirrors nothing. */
export const MIRROR_STATUS = port<() => Promise<MirrorStatus>>('mirror')
