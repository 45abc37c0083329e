#!/usr/bin/env escript
%%! +S 1 -kernel net_setuptime 3
%% Actions for a person: `members` shows the members; `recover` has one go on although a majority of the volumes is lost.
-mode(compile).
-include("look.hrl").

main([Mode]) ->
    connect("ccp-" ++ Mode, []),
    Nodes = [list_to_atom("rabbit@" ++ Host) || Host <- string:lexemes(os:getenv("NODES"), ",")],
    States = look(Nodes),
    [io:format("~s ~s~n", [short(Node), text(State)]) || {Node, State} <- States],
    halt(case Mode of "members" -> members(States); "recover" -> recover(Nodes, States) end).

%% Exit code 0 if all members serve.
members(States) ->
    Serving = [Node || {Node, {serves, _}} <- States],
    io:format("~b of ~b members serve~n", [length(Serving), length(States)]),
    if length(Serving) =:= length(States) -> 0; true -> 1 end.

recover(Nodes, States) ->
    Data = [{Node, Running} || {Node, {data, _, Running, _}} <- States],
    All = lists:usort(lists:append([Members || {_, {data, Members, _, _}} <- States])),
    Empty = [Node || {Node, State} <- States, State =:= empty orelse State =:= other],
    Silent = [Node || {Node, silent} <- States],
    Named = list_to_atom("rabbit@" ++ hd([Host || Host <- [atom_host(Node) || Node <- Nodes] ++ [""],
        hd(string:split(Host, ".")) =:= os:getenv("MEMBER") orelse Host =:= ""])),
    Candidates = case [Each || {Node, _} = Each <- Data, Node =:= Named] of [] -> Data; Some -> Some end,
    IsAccepted = os:getenv("ACCEPT_LOSS") =:= "true",
    case {[Node || {Node, {serves, _}} <- States], Candidates, Empty} of
        {[Serving | _], _, _} -> leaderless(Serving, IsAccepted);
        {_, [_ | _], _} when 2 * length(Data) > length(All) -> conclude("a majority of the volumes has data and goes on by itself", 0);
        {_, [_ | _], _} ->
            Chosen = chosen(Candidates),
            Others = All -- [Chosen],
            io:format("~s goes on alone~nwould be lost: messages that only ~s had~n", [short(Chosen), names(Others)]),
            if IsAccepted -> alone(Chosen, Others); true -> refuse() end;
        {_, [], [First | _]} when Silent =/= [] ->
            io:format("~s founds a cluster~nwould be lost: all queues, if ~s has them~n", [short(First), names(Silent)]),
            if IsAccepted -> rpc(waiter(First), application, set_env, [ccp, order, found], 5000), 0; true -> refuse() end;
        {_, [], [_ | _]} -> conclude("no member has data; they found a cluster by themselves", 0);
        _ -> conclude("no member answers", 1)
    end.

%% Quorum queues whose majority was lost, although the cluster serves.
leaderless(Node, IsAccepted) ->
    Queues = eval(Node, "[{amqqueue:get_name(Q), Name, [N || N <- Nodes, lists:member(N, Running)]} "
        "|| Running <- [rabbit_mnesia:cluster_nodes(running)], Q <- rabbit_amqqueue:list(), amqqueue:get_type(Q) =:= rabbit_quorum_queue, "
        "{Name, _} <- [amqqueue:get_pid(Q)], #{nodes := Nodes} <- [amqqueue:get_type_state(Q)], "
        "not lists:any(fun(N) -> element(1, ra:members({Name, N}, 3000)) =:= ok end, Nodes)].", none),
    Chosen = [{Queue, last_of(Name, Nodes)} || {Queue, Name, Nodes} <- Queues],
    [io:format("~s has no leader~nwould be lost: its messages that ~s does not have~n", [title(Node, Queue), short(Last)])
        || {Queue, Last} <- Chosen],
    case Chosen of
        [] -> conclude("a member serves, and the others join it", 0);
        _ when IsAccepted -> [go_on(Queue, Last) || {Queue, Last} <- Chosen], conclude("these queues go on", 0);
        _ -> refuse()
    end.

title(Node, Queue) -> eval(Node, "rabbit_misc:rs(Queue).", Queue).

%% The running member with the most entries of a queue's log, a voter if there is one.
last_of(Name, Nodes) ->
    Entries = [{maps:get(membership, Found, voter) =:= voter, maps:get(last_index, Found, 0), Node}
        || Node <- Nodes, Found <- [rpc(Node, ra, key_metrics, [{Name, Node}], 5000)], is_map(Found)],
    case lists:reverse(lists:sort(Entries)) of [{_, _, Node} | _] -> Node; [] -> hd(Nodes) end.

%% Version 3.10 can only delete such a queue.
go_on({resource, Vhost, queue, Name} = Queue, Node) ->
    case rpc(Node, rabbit_quorum_queue, force_shrink_member_to_current_member, [Vhost, Name], 60000) of
        {badrpc, {'EXIT', {undef, _}}} ->
            io:format("lost, since this version cannot shrink it: ~s~n", [title(Node, Queue)]),
            rpc(Node, rabbit_amqqueue, internal_delete, [Queue, <<"ccp">>], 60000);
        _ -> ok
    end.

refuse() -> conclude("nothing was changed; to accept the loss: --param accept-loss=true", 1).

conclude(Text, Code) -> io:format("~s~n", [Text]), Code.

%% Has one member go on without the others, which join it as new members.
alone(Node, Others) ->
    case each(Node, look([Node])) of
        {_, {data, _, _, loading}} ->
            rpc(Node, application, set_env, [rabbit, cluster_partition_handling, ignore], 5000),
            rpc(Node, rabbit_table, force_load, [], 120000);
        _ ->
            rpc(Node, rabbit_mnesia, force_load_next_boot, [], 5000),
            rpc(Node, erlang, halt, [1], 5000)
    end,
    true = await(Node, 300),
    rpc(Node, application, set_env, [rabbit, cluster_partition_handling, ignore], 5000),
    Lost = eval(Node, "case erlang:function_exported(rabbit_quorum_queue, force_all_queues_shrink_member_to_current_member, 0) of "
        "true -> rabbit_quorum_queue:force_all_queues_shrink_member_to_current_member(), []; "
        "false -> [begin rabbit_amqqueue:internal_delete(amqqueue:get_name(Q), <<\"ccp\">>), rabbit_misc:rs(amqqueue:get_name(Q)) end "
        "|| Q <- rabbit_amqqueue:list(), amqqueue:get_type(Q) =:= rabbit_quorum_queue, "
        "2 * length([N || N <- maps:get(nodes, amqqueue:get_type_state(Q)), N =:= node()]) =< "
        "length(maps:get(nodes, amqqueue:get_type_state(Q)))] end.", none),
    [io:format("lost, since this version cannot shrink it: ~s~n", [Queue]) || Queue <- Lost],
    [forget(Node, Other) || Other <- Others],
    rpc(Node, application, set_env, [rabbit, cluster_partition_handling, pause_minority], 5000),
    conclude(short(Node) ++ " serves; when the others have joined, run the action grow-queues", 0).

await(_, 0) -> false;
await(Node, Seconds) ->
    case each(Node, look([Node])) of
        {_, {serves, _}} -> true;
        _ -> timer:sleep(1000), await(Node, Seconds - 1)
    end.

text({serves, All}) -> io_lib:format("serves a cluster of ~b", [length(All)]);
text({data, All, Running, _}) -> io_lib:format("has data of a cluster of ~b, last seen: ~s", [length(All), names(Running)]);
text(silent) -> "gives no answer";
text(other) -> "has data of another version only";
text(empty) -> "has no data";
text(_) -> "starts".
