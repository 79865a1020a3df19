import { untrack } from 'svelte'
import type { AppState } from '../shell/app-state.svelte.ts'

const whenIdle = window.requestIdleCallback ?? setTimeout

/** Fetches trends once the board stands, and again when its counts change. */
export function useInsight(app: AppState): void {
  const { board } = app
  const stands = $derived(board.picture !== undefined && board.counts !== undefined)
  $effect(() => {
    if (stands) whenIdle(() => void app.loadInsight().catch(() => {}))
  })
  $effect(() => {
    const { insight } = app
    if (insight && board.counts) void insight.trends.load(untrack(() => board.narrowed))
  })
}
