import { mirrorUpstream } from '../features/mirror/upstream.ts'
import { screenCasts } from '../features/moderation/screening/screen.ts'
import { serveMerges } from '../kernel/hub/submit/serve-merges.ts'

serveMerges({ upstream: mirrorUpstream, screen: screenCasts })
