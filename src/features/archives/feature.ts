import { feature } from '../../kernel/feature.ts'

/** What a member takes along: everything of an account as one zip file. */
export const archives = feature({
  name: 'archives',
  needs: ['languages', 'media', 'moderation', 'server-face', 'sign-in'],
  serve: () => import('./serve.ts'),
})
