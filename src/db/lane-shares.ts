/** The caller that takes a lane of the pool. */
export interface LaneCaller {
  /** The caller's tenant; undefined for the service's own work, which has no share. */
  readonly tenant: string | undefined;
  /**
   * The worker of a cluster that runs the caller's statements; undefined: no worker runs them, and
   * no node's share limits the caller.
   */
  readonly node: string | undefined;
  /**
   * Whether the caller already holds a lane. Then it does not wait for a share, because the share
   * could be used up by callers that hold one lane and wait for another.
   */
  readonly isNested: boolean;
}

/** The service's own work. */
export const SERVICE: LaneCaller = { tenant: undefined, node: undefined, isNested: false };

/**
 * The pool counts as shared for this long once two tenants, or two nodes, have used it within this
 * time of each other.
 */
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
  /** The turn in which the owner was last given a lane, counted up with each lane. */
  turn: number;
}

/**
 * Counts the lanes that tenants, and nodes of a cluster, hold. None holds more than its share: half
 * of the lanes while others use the pool too, and all but one lane while it is alone, so that the
 * next tenant and the service find a lane.
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
    /** Returns how many callers of the same tenant wait; 0 for the service. */
    waiting: ({ tenant }: LaneCaller) => (tenant === undefined ? 0 : tenants.waiting(tenant)),
    mayHold,
    /** Returns whether the first of two callers gets the next lane. */
    isBefore: (one: LaneCaller, other: LaneCaller) =>
      one.isNested === other.isNested ? tenants.isBefore(one.tenant, other.tenant) : one.isNested,
    /** Returns the error text for a caller that waited in vain, or may not wait. */
    reason: (caller: LaneCaller) => {
      if (mayHold(caller)) return ALL_TAKEN;
      return tenants.mayHold(caller.tenant) ? NODE_TAKEN : SHARE_TAKEN;
    },
  };
}

/**
 * Counts the lanes that each owner holds and waits for. An owner is a tenant or a node. The owner
 * `undefined` has no share.
 */
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

/**
 * Returns a function that notes an owner, and tells whether more than one owner has used the pool
 * lately.
 */
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
