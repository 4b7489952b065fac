import { mirrorUpstream } from '../features/mirror/upstream.ts'
import { heldForReview } from '../features/moderation/screen.ts'
import { serveMerges } from '../kernel/hub/submit/serve-merges.ts'

serveMerges({ upstream: mirrorUpstream, screen: heldForReview })
