import { feature } from '../../kernel/feature.ts'

/** Events that the app API sends to servers of apps. */
export const webhooks = feature({ name: 'webhooks' })
