import { standingIn } from '../features/badges/standing.ts'
import { listenersIn } from '../features/webhooks/listeners.ts'
import { serveViews } from '../kernel/views/serve-views.ts'

serveViews((storage, features) => ({
  ...(features.includes('badges') && { standing: standingIn(storage) }),
  ...(features.includes('webhooks') && { listeners: listenersIn(storage) }),
}))
