/** Such as 2026-12-06 09:30 UTC. */
export const timeText = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
