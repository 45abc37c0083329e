#!/usr/bin/env escript
%%! +S 1 -kernel net_setuptime 3
%% A member of the message bus decides from all volumes when it starts: member.escript arrive HOLDS|watch|decide TERM...
%% `arrive` runs before the server and writes the nodes that it may join; HOLDS is `data`, `other` (data of another version only) or
%% `empty`. `watch` runs while the server runs. `decide` prints decisions, for tests.
-mode(compile).
-include("look.hrl").

%% Seconds until a majority goes on without a member that does not answer; with only empty ones missing; between two equal lines.
-define(ABSENT, 60).
-define(SURE, 5).
-define(AGAIN, 20).
-define(REASON, "/tmp/reason").

main(["arrive", Holds]) ->
    connect("ccp", [{inet_dist_listen_min, 25672}, {inet_dist_listen_max, 25672}]),
    application:set_env(ccp, holds, list_to_atom(Holds)),
    arrive(list_to_atom(Holds), now_seconds());
main(["watch"]) ->
    connect("ccp-watch", []),
    watch(now_seconds());
main(["decide" | Texts]) -> [io:format("~0p~n", [decide(term(Text))]) || Text <- Texts].

decide({watch, Me, _, States, Waited}) -> watch_decision(Me, States, Waited);
decide({Holds, Me, Wanted, States, Waited}) -> arrive_decision(Me, Holds, Wanted, States, Waited).

%% What an arriving member does: {join, Nodes}, {forget, Node}, aside, found, start or {wait, Reason}.
arrive_decision(Me, Holds, Wanted, States, Waited) ->
    Serving = [{Node, All} || {Node, {serves, All}} <- States],
    Knowing = [Node || {Node, All} <- Serving, lists:member(Me, All)],
    case {Holds, Serving, Knowing} of
        {data, [_ | _], []} -> aside;
        {data, _, _} -> start;
        {_, [], _} -> first(Me, Holds, Wanted, States, Waited);
        {_, _, []} -> {join, [Node || {Node, _} <- Serving]};
        {empty, _, [Node | _]} -> {forget, Node};
        {other, _, [Node | _]} -> {wait, short(Node) ++ " serves a cluster of another version"}
    end.

%% No member serves. Members without data found a cluster only if no volume can have data of it.
first(Me, Holds, Wanted, States, Waited) ->
    Known = [{Me, Holds} | States],
    Data = [Node || {Node, {data, _, _, _}} <- Known],
    Busy = [Node || {Node, State} <- Known, State =:= starting orelse State =:= fresh],
    Silent = [Node || {Node, silent} <- Known],
    Other = [Node || {Node, other} <- Known],
    [First | _] = lists:sort([Node || {Node, State} <- Known, State =:= empty orelse State =:= other]),
    NeverRan = 2 * length(Other) > length(Wanted) andalso Waited >= ?ABSENT,
    if
        Data =/= [] -> {wait, "this member has no data; " ++ names(Data) ++ " had a cluster with data and must serve first"};
        Busy =/= [] -> {wait, names(Busy) ++ " starts"};
        Silent =/= [], not NeverRan -> {wait, "this member has no data; " ++ names(Silent) ++ " may have some and gives no answer"};
        First =:= Me -> found;
        true -> {wait, short(First) ++ " founds the cluster"}
    end.

%% What a member does while its server runs: idle, load, restart or {wait, Reason}.
watch_decision(Me, States, Waited) ->
    Serving = [Node || {Node, {serves, _}} <- States],
    case lists:keyfind(Me, 1, States) of
        {_, {data, All, _, loading}} when Serving =:= [] -> load_decision(Me, All, States, Waited);
        {_, fresh} when Serving =:= [], Waited >= ?ABSENT -> restart;
        _ -> idle
    end.

%% A majority of a cluster's volumes has all that was confirmed and declared. The last member that served loads its tables.
load_decision(Me, All, States, Waited) ->
    States1 = [each(Node, States) || Node <- All],
    Data = [{Node, Running, Step} || {Node, {data, _, Running, Step}} <- States1],
    Empty = [Node || {Node, State} <- States1, State =:= empty orelse State =:= other orelse State =:= fresh],
    Gone = [Node || {Node, State} <- States1, State =:= silent orelse State =:= starting],
    Missing = case {Gone, Empty} of
        {[], []} -> "all have data";
        {[], _} -> names(Empty) ++ " lost their data";
        {_, []} -> names(Gone) ++ " gives no answer";
        _ -> names(Empty) ++ " lost their data and " ++ names(Gone) ++ " gives no answer"
    end,
    IsMajority = 2 * length(Data) > length(All),
    Enough = case {Gone, Empty} of {[], [_ | _]} -> ?SURE; _ -> ?ABSENT end,
    Chosen = chosen([{Node, Running} || {Node, Running, loading} <- Data]),
    Starting = [Node || {Node, starting} <- States1],
    if
        Waited < ?SURE; Starting =/= [], Waited < ?ABSENT -> {wait, "waits for the tables of other members; " ++ Missing};
        not IsMajority -> {wait, lists:flatten(io_lib:format("~s; ~b of ~b volumes have data, not a majority: start the "
            "missing members, or run the action recover of this app", [Missing, length(Data), length(All)]))};
        Waited < Enough -> {wait, "waits for the tables of other members; " ++ Missing};
        Chosen =:= Me -> {load, Missing};
        true -> {wait, short(Chosen) ++ " loads its tables first"}
    end.

arrive(Holds, Since) ->
    Me = me(),
    Wanted = wanted(Me),
    States = look(Wanted -- [Me]),
    Ordered = application:get_env(ccp, order, none),
    Decision = case Ordered of found -> found; _ -> arrive_decision(Me, Holds, Wanted, States, now_seconds() - Since) end,
    case Decision of
        start -> write(Wanted);
        found ->
            say("founds a cluster, since no member has data"),
            write([Me]);
        aside ->
            Name = aside(),
            say("its cluster has gone on without it; its data is set aside in " ++ Name),
            application:set_env(ccp, holds, empty),
            arrive(empty, Since);
        {forget, Node} ->
            say("this member has no data, but " ++ short(Node) ++ " knows it: it is forgotten and joins again"),
            [say("lost with its volume: " ++ Queue) || Queue <- only_on(Node, Me)],
            forget(Node, Me),
            file:write_file("/tmp/forgotten", ""),
            timer:sleep(1000),
            arrive(Holds, Since);
        {join, [Node | _] = Nodes} ->
            case shrink(Node, Me) of
                ok -> write([Me | Nodes]);
                again -> arrive(Holds, Since)
            end;
        {wait, Reason} ->
            repeat(Reason),
            timer:sleep(1000),
            arrive(Holds, Since)
    end.

%% No queue may count on this member's replica, since an empty one could elect a leader without confirmed messages.
shrink(Node, Me) ->
    case rpc(Node, rabbit_quorum_queue, shrink_all, [Me], 60000) of
        [] -> ok;
        Results when is_list(Results) ->
            file:write_file("/tmp/forgotten", ""),
            [delete(Node, Queue) || {Queue, {error, _, last_node}} <- Results],
            case [Queue || {Queue, {error, _, Why}} <- Results, Why =/= last_node] of
                [] -> ok;
                Some ->
                    repeat(io_lib:format("~b queues keep its replica until they have a leader", [length(Some)])),
                    timer:sleep(1000),
                    shrink(Node, Me)
            end;
        _ -> timer:sleep(1000), again
    end.

%% A queue whose only replica was on the lost volume.
delete(Node, Queue) ->
    say(["lost with its volume: ", eval(Node, "rabbit_misc:rs(Queue).", Queue)]),
    eval(Node, "case rabbit_misc:version() of \"3.\" ++ _ -> rabbit_amqqueue:internal_delete(Queue, <<\"ccp\">>); "
        "_ -> {ok, Found} = rabbit_amqqueue:lookup(Queue), rabbit_amqqueue:internal_delete(Found, <<\"ccp\">>) end.", Queue).

%% Classic queues that only this member had.
only_on(Node, Me) ->
    case eval(Node, "[rabbit_misc:rs(amqqueue:get_name(Q)) || V <- rabbit_vhost:list_names(), Q <- rabbit_amqqueue:list_down(V), "
        "amqqueue:get_type(Q) =:= rabbit_classic_queue, node(amqqueue:get_pid(Q)) =:= Queue].", Me) of
        Names when is_list(Names) -> [lists:flatten(io_lib:format("~s", [Name])) || Name <- Names];
        _ -> []
    end.

watch(Since) ->
    Me = me(),
    timer:sleep(2000),
    [{Me, Own}] = look([Me]),
    case Own of
        {serves, _} -> quiet(), timer:sleep(3000), watch(now_seconds());
        _ ->
            Members = lists:usort(wanted(Me) ++ case Own of {data, All, _, _} -> All; _ -> [] end),
            case watch_decision(Me, [{Me, Own} | look(Members -- [Me])], now_seconds() - Since) of
                {load, Missing} ->
                    say("goes on with its tables; " ++ Missing),
                    rpc(Me, rabbit_table, force_load, [], 120000);
                restart ->
                    say("restarts: the members that it should join are gone"),
                    rpc(Me, erlang, halt, [1], 5000);
                {wait, Reason} -> repeat(Reason);
                idle -> quiet()
            end,
            watch(Since)
    end.

me() -> list_to_atom(os:getenv("RABBITMQ_NODENAME")).

wanted(Me) ->
    {ok, Text} = file:read_file("/etc/ccp/members/members.conf"),
    {match, Found} = re:run(["x = rabbit@x\n", Text], "= *(rabbit@\\S+)", [global, {capture, all_but_first, list}]),
    lists:usort([Me | [list_to_atom(Node) || [Node] <- tl(Found)]]).

%% A member joins only these nodes, and never founds a cluster because they are away.
write(Nodes) ->
    quiet(),
    Lines = [io_lib:format("cluster_formation.classic_config.nodes.~b = ~s~n", [At, Node]) || {At, Node} <- lists:enumerate(Nodes)],
    ok = file:write_file("/tmp/members.conf", [Lines, "cluster_formation.discovery_retry_limit = 100000\n"]).

aside() ->
    Base = os:getenv("RABBITMQ_MNESIA_BASE"),
    {{Year, Month, Day}, {Hour, Minute, Second}} = calendar:universal_time(),
    Name = lists:flatten(io_lib:format("~s/aside-~4..0b~2..0b~2..0bT~2..0b~2..0b~2..0b", [filename:dirname(Base), Year, Month, Day, Hour, Minute, Second])),
    ok = file:rename(Base, Name),
    Name.

now_seconds() -> erlang:monotonic_time(second).

term(Text) -> {ok, Tokens, _} = erl_scan:string(Text ++ "."), {ok, Term} = erl_parse:parse_term(Tokens), Term.

%% A line when the reason changes, and again from time to time; the probe shows the reason.
repeat(Reason) ->
    Text = lists:flatten(Reason),
    Now = now_seconds(),
    case get(said) of
        {Text, At} when Now - At < ?AGAIN -> ok;
        _ -> put(said, {Text, Now}), file:write_file(?REASON, [Text, "\n"]), say(Text)
    end.

quiet() -> erase(said), file:delete(?REASON).
