import type { Decision } from './parts/decide.tsx'

const CONSEQUENCES = {
  suspend: 'Everything of the account is hidden at once, and its new messages are refused.',
  restore: 'Everything of the account is shown as before.',
} as const

/** Suspending an account, or ending that. */
export const accountDecision = (
  fid: number | string,
  action: keyof typeof CONSEQUENCES,
): Decision => ({
  title: `${action === 'suspend' ? 'Suspend' : 'Restore'} account ${fid}`,
  consequence: CONSEQUENCES[action],
  path: `/moderation/accounts/${encodeURIComponent(fid)}/${action}`,
})
