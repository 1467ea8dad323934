/** On whose behalf a lane of the pool is taken. */
export interface LaneCaller {
  /** The tenant on whose behalf; undefined for the service's own work, which has no share. */
  readonly tenant: string | undefined;
  /** The worker of a cluster that the caller's statements run on; undefined: they run on no worker, and no share limits the caller. */
  readonly node: string | undefined;
  /** The caller holds a lane already. It does not wait for a share, which could be used up by callers who wait like it. */
  readonly isNested: boolean;
}

/** The service's own work. */
export const SERVICE: LaneCaller = { tenant: undefined, node: undefined, isNested: false };

/** So long after two tenants, or two nodes, have used the pool it counts as shared between them. */
const SHARED_MS = 60_000;
const ALL_TAKEN =
  "All of this process's database connections are in use; try again in a moment. The operator raises RECOLLECT_DB_POOL.";
const NODE_TAKEN =
  "Requests for agents on the same server of the cluster hold that server's share of the service's database connections for too long; try again in a moment.";
const SHARE_TAKEN =
  "This tenant's requests hold its share of the service's database connections for too long; send fewer requests at a time, or smaller ones, and try again in a moment.";

interface Owner {
  held: number;
  waiting: number;
  /** When it was given a lane last: a number that grows with each. */
  turn: number;
}

/**
 * Counts what tenants, and nodes of a cluster, hold of a pool. None holds more than its share: half of the lanes while others use the
 * pool too, and all but one while it is alone, so that the next one and the service find a lane.
 */
export function createShares(size: number) {
  const tenants = createOwners(size);
  const nodes = createOwners(size);
  const mayHold = ({ tenant, node, isNested }: LaneCaller) =>
    isNested || (tenants.mayHold(tenant) && nodes.mayHold(node));
  return {
    note: ({ tenant, node }: LaneCaller) => {
      tenants.note(tenant);
      nodes.note(node);
    },
    hold: ({ tenant, node }: LaneCaller) => {
      tenants.hold(tenant);
      nodes.hold(node);
    },
    giveBack: ({ tenant, node }: LaneCaller) => {
      tenants.giveBack(tenant);
      nodes.giveBack(node);
    },
    wait: ({ tenant }: LaneCaller, more: 1 | -1) => tenants.wait(tenant, more),
    /** How many callers of the same tenant wait; 0 for the service. */
    waiting: ({ tenant }: LaneCaller) => (tenant === undefined ? 0 : tenants.waiting(tenant)),
    mayHold,
    /** Whether the next lane is rather for the first of two callers. */
    isBefore: (one: LaneCaller, other: LaneCaller) =>
      one.isNested === other.isNested ? tenants.isBefore(one.tenant, other.tenant) : one.isNested,
    /** Why a caller has waited in vain, or may not wait. */
    reason: (caller: LaneCaller) => {
      if (mayHold(caller)) return ALL_TAKEN;
      return tenants.mayHold(caller.tenant) ? NODE_TAKEN : SHARE_TAKEN;
    },
  };
}

/** Counts what each owner holds of a pool and waits for: each tenant, or each node. The owner `undefined` has no share. */
function createOwners(size: number) {
  const owners = new Map<string | undefined, Owner>();
  const isShared = createSharing();
  let turns = 0;
  const ownerOf = (name: string | undefined): Owner => owners.get(name) ?? { held: 0, waiting: 0, turn: 0 };
  const change = (name: string | undefined, held: number, waiting: number): Owner => {
    const owner = ownerOf(name);
    owner.held += held;
    owner.waiting += waiting;
    if (owner.held === 0 && owner.waiting === 0) owners.delete(name);
    else owners.set(name, owner);
    return owner;
  };
  const share = () => Math.max(1, isShared() ? Math.floor(size / 2) : size - 1);
  return {
    note: (name: string | undefined) => void (name !== undefined && isShared(name)),
    hold: (name: string | undefined) => {
      change(name, 1, 0).turn = ++turns;
    },
    giveBack: (name: string | undefined) => void change(name, -1, 0),
    wait: (name: string | undefined, more: 1 | -1) => void change(name, 0, more),
    waiting: (name: string) => ownerOf(name).waiting,
    mayHold: (name: string | undefined) => name === undefined || ownerOf(name).held < share(),
    isBefore: (one: string | undefined, other: string | undefined) => {
      const [a, b] = [ownerOf(one), ownerOf(other)];
      return a.held === b.held ? a.turn < b.turn : a.held < b.held;
    },
  };
}

/** Remembers whether more than one owner has used the pool lately. */
function createSharing(): (owner?: string) => boolean {
  let last: { owner: string; at: number } | undefined;
  let until = 0;
  return (owner) => {
    const now = performance.now();
    if (owner === undefined) return now < until;
    if (last !== undefined && last.owner !== owner && now - last.at < SHARED_MS) until = now + SHARED_MS;
    last = { owner, at: now };
    return now < until;
  };
}
