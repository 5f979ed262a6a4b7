# Sourced in the guest: zmon's full screen in tmux, what its pane shows after each key, and when.

glass_size=(-x 132 -y 43)

# open_glass NAME OPTION...: start zmon in a terminal of its own; its complaints go to /job/out/glass/NAME.errors
open_glass() {
    mkdir -p /job/out/glass
    glass=$1
    shift
    glass_start=$EPOCHREALTIME
    tmux new-session -d -s "$glass" "${glass_size[@]}" "exec python3 -m zmon ${*@Q} 2>/job/out/glass/$glass.errors"
}

close_glass() { tmux kill-session -t "$glass"; }

pane() { tmux capture-pane -p -t "$glass"; }

# since MOMENT: seconds from then, with a decimal
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# await_glass WORDS SECONDS: until the pane matches; prints after how many seconds from the start, or that it did not
await_glass() {
    local begin=$SECONDS
    while [ $((SECONDS - begin)) -lt "$2" ]; do
        if pane | tr -s ' \n' '  ' | grep -Eq "$1"; then
            echo "$glass: '$1' after $(since "$glass_start") s" | tee -a /job/out/glass/seconds
            return 0
        fi
        sleep 0.2
    done
    echo "$glass: no '$1' in $2 s" | tee -a /job/out/glass/seconds
    return 1
}

# await_changes TIMES SECONDS COMMAND...: until what a command prints has changed so often
await_changes() {
    local times=$1 end=$((SECONDS + $2)) before now
    shift 2
    before=$("$@")
    while [ "$times" -gt 0 ]; do
        if [ $SECONDS -ge $end ]; then
            echo "'$*' does not go on: $before" >&2
            return 1
        fi
        sleep 0.5
        now=$("$@")
        [ "$now" = "$before" ] || times=$((times - 1))
        before=$now
    done
}

# shown_interval: the interval that the pane shows
shown_interval() { pane | grep -o 'Interval [0-9:]* - [0-9:]*'; }

# recorded DIRECTORY: when a recorder last wrote its files
recorded() { stat -c '%n %y' "$1"/* 2>/dev/null; }

# look NAME: keep what the pane shows: /job/out/glass/NAME
look() { pane >"/job/out/glass/$1"; }

# keys NAME KEY...: type keys, and keep the pane before them and after each: NAME.0, NAME.1 ...
keys() {
    local name=$1 number=0 key
    shift
    look "$name.0"
    for key; do
        tmux send-keys -t "$glass" "$key"
        sleep ${KEY_SECONDS:-8} # an emulated processor draws slowly
        number=$((number + 1))
        look "$name.$number"
    done
}

# film NAME: until killed, keep every picture of the pane with its time, one after the other: /job/out/glass/NAME.film
film() {
    local before='' now
    while sleep 0.3; do
        now=$(pane) || return
        [ "$now" = "$before" ] || printf '@@ %s\n%s\n' "$EPOCHREALTIME" "$now"
        before=$now
    done >"/job/out/glass/$1.film" 2>/dev/null
}
