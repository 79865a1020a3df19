import Playback from './Playback.svelte'
import SectionInsight from './SectionInsight.svelte'
import Sparkline from './Sparkline.svelte'
import { Trends } from './trends.svelte.ts'

/** What tells the weak points over time; fetched once the board itself stands. */
export class Insight {
  readonly trends = new Trends()
  readonly Playback = Playback
  readonly SectionInsight = SectionInsight
  readonly Sparkline = Sparkline
}
