import { mirrorUpstream } from '../features/mirror/upstream.ts'
import { serveMerges } from '../kernel/hub/submit/serve-merges.ts'

serveMerges(mirrorUpstream)
